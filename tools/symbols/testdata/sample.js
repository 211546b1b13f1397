'use strict';

const LIMIT = 10;
const pattern = /function fake\(\) {/;

/** Prices an order. */
function price(order, { rates = {} } = {}) {
  const text = `function fake() { ${order.items.map((i) => `${i.name} }`).join('}')}`;
  return text.length;
}

async function* pages(url) {
  yield url;
}

class Order extends Base {
  #items = [];
  static total = 0;

  constructor(items) {
    super();
    this.#items = items;
  }

  static make() { return new Order([]); }

  get size() {
    return this.#items.length;
  }

  async load(id) {
    if (id) { return fetch(`/orders/${id}`); }
    for (const x of this) {
      use(x);
    }
  }

  handle = (event) => {
    this.event = event;
  };

  *[Symbol.iterator]() {}
}

const double = (x) => x * 2;
const later = async () => {
  await double(1);
};

var legacy = function () {
  return 1;
};

function Old() {}

Old.prototype.run = function (a, b) {
  return a / b / 2;
};

exports.helper = function (x) { return x; };

const table = {
  first: function () { return 1; },
  second(a, b) {
    return a + b;
  },
};

export default function last() {}
