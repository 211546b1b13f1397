-- A stack of things.
local Stack = {}
Stack.__index = Stack

--[[
function fake()
end
]]

-- Makes a stack.
function Stack.new(items)
  local self = setmetatable({}, Stack)
  self.items = items or {}
  return self
end

function Stack:push(item)
  if item ~= nil then
    table.insert(self.items, item)
  end
end

local function helper(x)
  local function inner(y)
    return y * 2
  end
  return inner(x)
end

Stack.pop = function(self)
  return table.remove(self.items)
end

local text = [[
function fake()
]]

local each = function(f) for _, v in ipairs({}) do f(v) end end

function one_line() return "end" end

return Stack
