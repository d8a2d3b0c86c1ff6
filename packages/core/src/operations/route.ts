import { entryOf, REST_OPERATION_NAMES, type RestOperation } from './index.ts';

/** Where a request below `/api/public/v1` leads. */
export type RouteMatch =
  | {
      readonly kind: 'operation';
      readonly name: RestOperation;
      /** Path parameters but `guildId`, percent-decoded and otherwise unchecked. */
      readonly params: Readonly<Record<string, string>>;
      /** Guild of the path, unchecked; null for an operation on the token itself. */
      readonly guildId: string | null;
    }
  /** The path is known, with other methods. */
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' };

interface Leaf {
  readonly name: RestOperation;
  readonly paramNames: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  param: Node | undefined;
  readonly leaves: Map<string, Leaf>;
}

const UNKNOWN: RouteMatch = { kind: 'unknown' };

const ROOT = buildTree();

/**
 * The operation at `method` and `pathname`, the part of the URL's path after `/api/public/v1`. Paths are exact: a
 * trailing or doubled slash, or a malformed percent-encoding, is an unknown path. HEAD is a method like any other.
 */
export function matchRoute(method: string, pathname: string): RouteMatch {
  const segments = splitPath(pathname);
  if (segments === null) return UNKNOWN;
  const values: string[] = [];
  let node = ROOT;
  for (const segment of segments) {
    const literal = node.literals.get(segment);
    if (literal === undefined) values.push(segment);
    const next = literal ?? node.param;
    if (next === undefined) return UNKNOWN;
    node = next;
  }
  if (node.leaves.size === 0) return UNKNOWN;
  const leaf = node.leaves.get(method);
  if (leaf === undefined) return { kind: 'method', allow: [...node.leaves.keys()].sort() };
  const { guildId = null, ...params } = Object.fromEntries(
    leaf.paramNames.map((name, index) => [name, values[index] ?? '']),
  );
  return { kind: 'operation', name: leaf.name, params, guildId };
}

/** Path of an operation below `/api/public/v1`, with `{placeholders}`. */
export function pathTemplate(name: RestOperation): string {
  const { path, scope } = entryOf(name).http;
  return scope === 'token' ? path : `/guilds/{guildId}${path}`;
}

/** Names of an operation's path parameters, `guildId` left out. */
export function pathParams(name: RestOperation): readonly string[] {
  return [...entryOf(name).http.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
}

/** The decoded segments of a path, or null where one is empty or malformed. */
function splitPath(pathname: string): readonly string[] | null {
  if (!pathname.startsWith('/')) return null;
  const segments = pathname.slice(1).split('/');
  if (segments.includes('')) return null;
  if (!pathname.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return null;
  }
}

function buildTree(): Node {
  const root = newNode();
  for (const name of REST_OPERATION_NAMES) {
    const paramNames: string[] = [];
    let node = root;
    for (const segment of pathTemplate(name).slice(1).split('/')) {
      const [, param] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (param !== undefined) paramNames.push(param);
      node = param === undefined ? literalChild(node, segment) : paramChild(node);
    }
    node.leaves.set(entryOf(name).http.method, { name, paramNames });
  }
  return root;
}

function newNode(): Node {
  return { literals: new Map(), param: undefined, leaves: new Map() };
}

function literalChild(parent: Node, segment: string): Node {
  const child = parent.literals.get(segment) ?? newNode();
  parent.literals.set(segment, child);
  return child;
}

function paramChild(parent: Node): Node {
  parent.param ??= newNode();
  return parent.param;
}
