using System;
using System.Collections.Generic;

#if NET8_0_OR_GREATER
using Frozen = System.Collections.Frozen;
#endif

namespace Shop.Orders
{
    /// <summary>Prices an order.</summary>
    public delegate decimal Pricing(Order order);

    public enum State { Open, Paid }

    [Serializable]
    public abstract partial class Repository<TKey, TItem> : IRepository<TKey>, IDisposable
        where TItem : class, new()
    {
        public const int MaxItems = 100;
        private readonly Dictionary<TKey, TItem> items = new Dictionary<TKey, TItem>();

        public Repository(int size) : this(size, null) { }

        protected Repository(int size, string name)
        {
            if (size < 0) { throw new ArgumentException($"size {size} in {nameof(Repository<int, object>)}"); }
        }

        public int Count { get; private set; }

        // Adds an item.
        [Obsolete("class Fake { void Not() {} }")]
        public virtual void Add(TKey key, TItem item)
        {
            var sql = @"class ""Fake"" { void Not() { } ";
            items.Add(key, item);
            foreach (var pair in items)
            {
                Visit(pair);
            }
        }

        public abstract TItem Find(TKey key);

        internal static async Task<List<TItem>> LoadAsync<TSource>(
            TSource source,
            int limit = 10)
        {
            return await Task.FromResult(new List<TItem>());
        }

        public (int Low, int High) Range(int[] values) => (values[0], values[^1]);

#if DEBUG
        public override string ToString() {
#else
        public override string ToString() {
#endif
            return "}";
        }

        ~Repository() { Dispose(); }

        void IDisposable.Dispose() { }

        private sealed class Cursor
        {
            public bool Next() { return '{' == '}'; }
        }
    }

    public interface IRepository<TKey>
    {
        bool Contains(TKey key);
        string? Describe(TKey key);
    }

    public record Order(int Id, string Name);

    public readonly struct Money
    {
        public static Money Zero() => default;
    }
}
