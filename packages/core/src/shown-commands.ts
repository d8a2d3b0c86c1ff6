import { type Capability, isCapability } from './capabilities.ts';
import { CASE_KIND_NAMES, caseKind } from './case-kinds.ts';
import {
  CHAT_OPERATION_NAMES,
  type ChatOperation,
  chatEntryOf,
  entryOf,
  type OperationName,
} from './operations/index.ts';
import { LONG_OPERATIONS } from './operations/long-operations.ts';
import { permissionBits } from './permissions.ts';

/** Commands by the word that Discord lists them under, such as `strike` for `/strike add`. */
const commandsByWord = (): ReadonlyMap<string, readonly ChatOperation[]> =>
  Map.groupBy(CHAT_OPERATION_NAMES, (name) => chatEntryOf(name).command.split(' ')[0] ?? '');

/** Where what Discord shows to a role differs from what the role was granted. */
export interface ShownCommands {
  /** Commands that the role may use and Discord does not show to it. */
  readonly missing: readonly string[];
  /** Commands that Discord shows to the role and it may not use, if they can be hidden from it. */
  readonly needless: readonly string[];
}

/**
 * What an owner has to change for a role under *Server Settings → Integrations*. By default Discord shows a command by
 * the permissions of a role, and no bot can tell it to do otherwise (decisions: Commands that are shown).
 *
 * @param permissions the role's Discord permission bits
 */
export function shownCommands(granted: readonly Capability[], permissions: bigint): ShownCommands {
  // Discord shows everything to administrators, and nothing can be hidden from them.
  const seesAll = (permissions & permissionBits(['Administrator'])) !== 0n;
  const missing: string[] = [];
  const needless: string[] = [];
  for (const [word, operations] of commandsByWord()) {
    const bits = shownBits(operations);
    // Everybody sees it and may use a part of it.
    if (bits === null) continue;
    const isShown = seesAll || (permissions & bits) === bits;
    const isGranted = operations.some((name) => neededBy(name).some((each) => granted.includes(each)));
    if (isGranted && !isShown) missing.push(word);
    if (isShown && !isGranted && !seesAll) needless.push(word);
  }
  return { missing, needless };
}

/** The permissions that Discord asks for to show a command or group. Null if everybody sees it. */
function shownBits(operations: readonly ChatOperation[]): bigint | null {
  const names = operations.map((name) => chatEntryOf(name).shownTo);
  const asked = names.filter((name) => name !== 'everyone');
  return asked.length < names.length ? null : permissionBits(asked);
}

/** The capabilities of which one is enough to use an operation. */
function neededBy(name: OperationName): readonly Capability[] {
  const { capability, chat, tier } = entryOf(name);
  // What is shown to others they stop with the button of its answer.
  if (capability === 'of_action')
    return LONG_OPERATIONS.filter((long) => entryOf(long).chat?.shownTo === chat?.shownTo).flatMap(neededBy);
  if (capability === 'of_case')
    return CASE_KIND_NAMES.map((kind) => caseKind(kind)[tier === 'read' ? 'reader' : 'writer']);
  return isCapability(capability) ? [capability] : [];
}
