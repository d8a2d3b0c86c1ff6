import { entryOf, type InputOf, type OperationName } from './operations/index.ts';

/** The sentence that `_confirmation` must hold: the specification's template, and the same filled in for one call. */
export interface ExpectedSentinel {
  readonly format: string;
  readonly concrete: string;
}

/**
 * The form of a sentinel that is compared (decisions: Sentinels): trimmed, with single spaces, in upper case. Only
 * ASCII characters change: ß, ı or a no-break space stay the same, so that no other text becomes equal to a sentinel.
 */
export function normalise(text: string): string {
  return text
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/**
 * The sentinel of a call.
 * @throws Error when the operation has none (`canBeDestructive`).
 */
export function expectedSentinel<N extends OperationName>(
  name: N,
  guildId: string,
  input: InputOf<N>,
): ExpectedSentinel {
  const { sentinel } = entryOf(name);
  if (sentinel === undefined) throw new Error(`${name} has no sentinel.`);
  const fields: Readonly<Record<string, unknown>> = input;
  const filled = sentinel.template.replace(/\{([^}]*)\}/g, (_, placeholder: string) => {
    if (placeholder === 'guildId') return guildId;
    if (Object.hasOwn(fields, placeholder)) return String(fields[placeholder]);
    if (sentinel.choice === undefined)
      throw new Error(`Nothing fills {${placeholder}} in the sentinel of ${name}.`);
    return sentinel.choice(input);
  });
  return { format: sentinel.template, concrete: normalise(filled) };
}

/** Whether `confirmation` is the sentinel of exactly this call. False if there is no confirmation. */
export function matchesSentinel<N extends OperationName>(
  name: N,
  guildId: string,
  input: InputOf<N>,
  confirmation: string | undefined,
): boolean {
  return (
    confirmation !== undefined && normalise(confirmation) === expectedSentinel(name, guildId, input).concrete
  );
}
