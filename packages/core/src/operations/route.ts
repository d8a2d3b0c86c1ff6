import { entryOf, REST_OPERATION_NAMES, type RestOperation } from './index.ts';

/** The operation that a method and path below `/api/public/v1` stand for, if there is one. */
export type RouteMatch =
  | {
      readonly kind: 'operation';
      readonly name: RestOperation;
      /** Path parameters except `guildId`, percent-decoded but not checked. */
      readonly params: Readonly<Record<string, string>>;
      /** The guild in the path, not checked; null for an operation on the token itself. */
      readonly guildId: string | null;
    }
  /** The path exists, but only with other methods. */
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

/** Names of an operation's path parameters, without `guildId`. */
export function pathParams(name: RestOperation): readonly string[] {
  return [...entryOf(name).http.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param);
}

/** The decoded segments of a path, or null if one is empty or malformed. */
function splitPath(pathname: string): readonly string[] | null {
  if (!pathname.startsWith('/')) return null;
  const segments = pathname.slice(1).split('/');
  if (segments.includes('')) return null;
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
      const param = segment.startsWith('{') ? segment.slice(1, -1) : undefined;
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
