defmodule Shop.Order do
  @moduledoc """
  def fake do
  """

  defstruct [:id, :name]

  # Makes an order.
  def new(id, name \\ "def fake do") do
    %__MODULE__{id: id, name: name}
  end

  def total(%{items: items}) when is_list(items) do
    Enum.reduce(items, 0, fn item, sum ->
      sum + item.price
    end)
  end

  def empty?(order), do: total(order) == 0

  defp helper(x) do
    case x do
      :end -> "#{x} end"
      _ -> nil
    end
  rescue
    _ -> :error
  end

  defmacro traced(name) do
    quote do
      unquote(name)
    end
  end
end

defprotocol Shop.Priced do
  def price(thing)
end

defimpl Shop.Priced, for: Shop.Order do
  def price(order), do: Shop.Order.total(order)
end
