<html><body>It's a page. function fake() {}
<?php

namespace Shop\Orders;

use Shop\Base;

const LIMIT = 10;

/**
 * Prices an order.
 */
function price(Order $order, string $key): int
{
    $text = "class Fake { function no() {} }";
    return $order->total;
}

interface Priced extends \Countable
{
    public function price(): int;
}

trait Logs
{
    protected function log(string $line): void
    {
        echo <<<EOT
        function fake() {
        EOT;
    }
}

enum State: string
{
    case Open = 'open';

    public static function default(): self
    {
        return self::Open;
    }
}

abstract class Order extends Base implements Priced
{
    use Logs;

    public const MAX = 'it\'s {';

    public function __construct(private int $id, protected ?string $name = null) {}

    # function fake() {}
    final public static function &make(array $rows = []): static
    {
        $sort = function ($a, $b) use ($rows) { return $a <=> $b; };
        $short = fn ($x) => $x * 2;
        return new static(1);
    }

    abstract protected function total(): int;

    public function price(): int
    {
        return match (true) {
            $this->id > 1 => 2,
            default => 1,
        };
    }
}

final class Paid extends Order
{
    protected function total(): int { return 0; }
}

function last() { return 1; }
?>
<p>function fake() { }</p>
<?php
function after_html() {}

function attributed(#[Secret] string $key, int $n): int
{
    return 1;
}
