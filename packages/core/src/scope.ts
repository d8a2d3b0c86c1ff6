import { CAPABILITIES, type Capability, CapabilityInput, inTableOrder } from './capabilities.ts';

/** A scope (RFC 6749 §3.3): words of visible characters except quotes and backslashes, separated by single spaces. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const MOST_SCOPE_CHARACTERS = 1000;
/** How much of an unknown word is repeated to the client. */
const MOST_WORD_CHARACTERS = 64;

/** The capabilities that a scope names, or what is wrong with it: a sentence for an `error_description`. */
export type ReadScope =
  | { readonly ok: true; readonly capabilities: readonly Capability[] }
  | { readonly ok: false; readonly problem: string };

/** Reads the `scope` of an OAuth request: names of capabilities, in any order and possibly repeated. */
export function readScope(scope: string): ReadScope {
  if (scope.length > MOST_SCOPE_CHARACTERS || !SCOPE.test(scope)) {
    const problem = `scope must be words with single spaces between them, at most ${MOST_SCOPE_CHARACTERS} characters.`;
    return { ok: false, problem };
  }
  const names: Capability[] = [];
  for (const word of scope.split(' ')) {
    const name = CapabilityInput.safeParse(word);
    if (!name.success) {
      const problem = `scope names ${word.slice(0, MOST_WORD_CHARACTERS)}, which is no capability. There are: ${CAPABILITIES.join(' ')}`;
      return { ok: false, problem };
    }
    names.push(name.data);
  }
  return { ok: true, capabilities: inTableOrder(names) };
}
