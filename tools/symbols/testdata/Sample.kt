package shop.orders

import kotlin.math.max

/** How many. */
const val LIMIT = 10

typealias Prices = Map<String, Int>

/* outer /* fun nested() {} */ fun fake() {} */
data class Order(val id: Int, val name: String = "fun fake() {}")

sealed interface State {
    object Open : State
    data class Paid(val at: Long) : State
}

enum class Colour(val hex: String) {
    RED("#f00") {
        override fun label() = "red"
    },
    GREEN("#0f0");

    open fun label(): String = name
}

fun interface Visitor {
    fun visit(order: Order)
}

// Prices orders.
abstract class Pricing<T : Comparable<T>>(
    private val rates: Prices,
) : Base(),
    AutoCloseable {
    private val cache = mutableMapOf<String, Int>()

    init {
        cache["{"] = 1
    }

    constructor(name: String) : this(mapOf(name to 1))

    @Throws(IllegalStateException::class)
    suspend fun price(order: Order): Int {
        val text = "${order.name} ${cache.map { "}" }}"
        val raw = """
            fun fake() {
        """
        fun local(x: Int) = x + 1
        return local(max(1, text.length))
    }

    abstract fun rate(): T

    override fun close() = cache.clear()

    inner class Cursor {
        fun next(): Boolean = true
    }

    companion object {
        fun of(vararg names: String): Pricing<Int> = TODO()
    }
}

inline fun <reified T> List<T>.second(): T = this[1]

fun `with spaces in it`() {
    val listener = object : Visitor {
        override fun visit(order: Order) {}
    }
}

internal object Registry
