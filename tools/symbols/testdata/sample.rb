# A catalogue of things.
require "set"

=begin
class Fake
end
=end
module Shop
  VERSION = "1.0"

  # Keeps items.
  class Catalogue < Base
    include Enumerable

    class << self
      def build(*names)
        new(names)
      end
    end

    def self.empty; new([]) end

    def initialize(names)
      @names = names # def not_this
      @pattern = /class Fake/
      @query = <<~SQL
        def fake
        end
      SQL
    end

    def each(&block)
      @names.each do |name|
        if name =~ %r{^/def/}
          yield "#{name} end"
        end
      end
    end

    def <<(name)
      @names << name
      self
    end

    def ==(other) = other.names == names

    def empty? = @names.empty?

    def name=(value)
      @names = [value]
    rescue ArgumentError
      nil
    ensure
      @changed = true
    end

    private

    def helper(kind)
      case kind
      when ?' then "it's"
      when :def then 'class Fake'
      else nil
      end
    end

    private def secret; end

    class Error < StandardError; end
  end
end

class Shop::Order
  def total
    def inner
      1
    end
    inner + 1
  end
end

def main(argv)
  puts "class Fake"
end

# Bounds of an order.
LIMITS = {
  items: 100,
  weight: 30,
}.freeze

# What went wrong with an order.
Refusal = Data.define(:order, :reason) do
  def to_s
    "#{order}: #{reason}"
  end
end

Pair = Struct.new(:left, :right)
