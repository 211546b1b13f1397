// Not this one.

/** Options of a thing. */
export interface Options {
  name: string;
  run(): void;
}

export type Id = string | number;

type Union =
  | { a: 1 }
  | { b: 2 };

export enum Colour { Red, Blue }

export const LIMIT = 10;

const template = `class Fake { ${ `nested ${1}` } }`;
const re = /[{"'`]/;

/**
 * A store of things.
 */
@injectable()
export default abstract class Store<T extends { id: Id }> extends Base implements Options {
  private readonly items = new Map<Id, T>();

  constructor(private name: string) {
    super();
    if (name) {
      this.name = name;
    }
  }

  // Gets one.
  async get(id: Id): Promise<T | undefined> {
    for (const x of this.items) {
      return x;
    }
  }

  handler = (e: Event) => {
    e.stop();
  };

  abstract missing(): void;
}

export async function load(path: string): Promise<void> {
  function helper() {}
}

export const arrow = async (a: number): Promise<number> => {
  return a;
};

const short = x => x + 1;

Store.prototype.clear = function () {
};

module.exports.legacy = function (req, res) {
};

namespace inner {
  export function inside() {}
}

///////////   PARSING   ///////////
export const typed: (e: Kind) => Parse = (e) => {
  return { a: 1 };
};

const table = {
  one: 1,
};

export interface Wide<T extends Options = Options>
  extends Options {
  more(x: T): void;
}

const words = {
  functions: "functions",
};
