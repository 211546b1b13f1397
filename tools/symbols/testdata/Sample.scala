package shop.orders

import scala.collection.mutable

/** Things with a price. */
sealed trait Priced[+A] extends Product with Serializable {
  type Currency
  def price: Int
  def total(count: Int)(implicit currency: Currency): Int = price * count
}

object Priced {
  implicit class Ops[A](private val self: Priced[A]) extends AnyVal {
    def double: Int = self.price * 2
  }

  def apply[A](a: A): Priced[A] =
    new Priced[A] {
      type Currency = String
      override def price: Int = 1
    }

  implicit def ordering[A]: Ordering[Priced[A]] = Ordering.by(_.price)
}

/* outer /* def nested() = 1 */ def fake() = 2 */
final case class Order(id: Int, name: String = "def fake = 1") extends Priced[Int] {
  override type Currency = String

  private[orders] lazy val cache = mutable.Map.empty[String, Int]

  def price: Int = {
    val text = s"${cache.size} }"
    val raw = """def fake = {"""
    def local(x: Int) = x + 1
    local(text.length)
  }

  def +(other: Order): Order = copy(id = id + other.id)

  @tailrec
  protected final def loop(n: Int): Int =
    if (n == 0) '{'.toInt else loop(n - 1)

  private class Cursor {
    def next(): Boolean = true
  }
}

case object Empty extends Priced[Nothing] {
  def price = 0
}

abstract class Base[F[_]: Monad](
    val size: Int
) extends Runnable {
  def run(): Unit
}

package object util {
  type Id[A] = A
}
