import Foundation

/// How an order stands.
public enum State: String, CaseIterable {
    case open = "func fake() {}"
    case paid

    var label: String { rawValue }

    static func parse(_ text: String) -> State? { State(rawValue: text) }
}

public protocol Priced: AnyObject {
    associatedtype Currency
    var price: Int { get }
    func total(in currency: Currency) throws -> Int
}

/* outer /* func nested() {} */ func fake() {} */
@available(iOS 15, *)
public final class Order<Item: Hashable>: NSObject, Priced {
    public typealias Currency = String

    private let items: [Item]

    public init(items: [Item]) {
        self.items = items
    }

    convenience init?(named name: String) {
        guard !name.isEmpty else { return nil }
        self.init(items: [])
    }

    deinit { print("} \(items.map { "\($0) }" })") }

    public var price: Int {
        get { items.count }
    }

    @discardableResult
    public func total(in currency: String) throws -> Int {
        func local(_ x: Int) -> Int { x + 1 }
        let text = """
        func fake() {
        """
        let raw = #"func "fake"() {"#
        return local(text.count + raw.count)
    }

    class func make() -> Order { Order(items: []) }

    subscript(index: Int) -> Item { items[index] }

    struct Line {
        mutating func add(_ n: Int) {}
    }
}

extension Order: CustomDebugStringConvertible where Item: CustomStringConvertible {
    public static func == (left: Order, right: Order) -> Bool { left.items == right.items }
}

actor Store {
    private(set) var orders = 0
    nonisolated func describe() -> String { "store" }
}

#if DEBUG
func debug() {
#else
func debug() {
#endif
}

private func last() async {}
