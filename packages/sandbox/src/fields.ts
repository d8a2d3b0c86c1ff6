export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes the error for a wrong field; `code` is Discord's name for the kind of error. */
export type Fail = (field: string, code: string, message: string) => Error;

/**
 * Reads the fields of a JSON object. `undefined` means absent and `null` means null, because Discord tells the two apart;
 * anything of another type or out of bounds throws what `fail` makes.
 */
export class Fields {
  readonly values: JsonObject;
  readonly #fail: Fail;

  constructor(values: unknown, fail: Fail) {
    if (!isObject(values)) throw fail('_body', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used here');
    this.values = values;
    this.#fail = fail;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  fail(name: string, code: string, message: string): Error {
    return this.#fail(name, code, message);
  }

  string(name: string, bounds: { min?: number; max?: number } = {}): string | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return value;
    if (typeof value !== 'string') {
      throw this.#fail(name, 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
    }
    const { min = 0, max = Number.POSITIVE_INFINITY } = bounds;
    if (value.length < min || value.length > max) {
      const message =
        max === Number.POSITIVE_INFINITY
          ? `Must be ${min} or more in length.`
          : min === 0
            ? `Must be ${max} or fewer in length.`
            : `Must be between ${min} and ${max} in length.`;
      throw this.#fail(name, 'BASE_TYPE_BAD_LENGTH', message);
    }
    return value;
  }

  requiredString(name: string, bounds: { min?: number; max?: number } = {}): string {
    const value = this.string(name, bounds);
    if (value === undefined || value === null) throw this.#missing(name);
    return value;
  }

  integer(name: string, bounds: { min?: number; max?: number } = {}): number | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return value;
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      throw this.#fail(name, 'NUMBER_TYPE_COERCE', `Value "${String(value)}" is not int.`);
    }
    const { min, max } = bounds;
    if (min !== undefined && number < min) {
      throw this.#fail(name, 'NUMBER_TYPE_MIN', `int value should be greater than or equal to ${min}.`);
    }
    if (max !== undefined && number > max) {
      throw this.#fail(name, 'NUMBER_TYPE_MAX', `int value should be less than or equal to ${max}.`);
    }
    return number;
  }

  boolean(name: string): boolean | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || typeof value === 'boolean') return value;
    throw this.#fail(name, 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.');
  }

  /** A list of strings. */
  strings(name: string): string[] | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return value;
    if (!Array.isArray(value) || !value.every((item): item is string => typeof item === 'string')) {
      throw this.#fail(name, 'LIST_TYPE_CONVERT', 'Only lists of strings may be used here.');
    }
    return value;
  }

  objects(name: string): JsonObject[] | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return value;
    if (!Array.isArray(value) || !value.every(isObject)) {
      throw this.#fail(name, 'LIST_TYPE_CONVERT', 'Only lists of objects may be used here.');
    }
    return value;
  }

  object(name: string): JsonObject | null | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || isObject(value)) return value;
    throw this.#fail(name, 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used here.');
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.string(name);
    if (value === undefined || value === null) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) {
      throw this.#fail(name, 'BASE_TYPE_CHOICES', `Value "${value}" must be one of ${choices.join(', ')}.`);
    }
    return found;
  }

  requiredChoice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.choice(name, choices);
    if (value === undefined) throw this.#missing(name);
    return value;
  }

  /** Throws if an unknown field is present, so that a misspelt field is not silently ignored. */
  only(names: readonly string[]): void {
    for (const name of Object.keys(this.values)) {
      if (!names.includes(name)) {
        throw this.#fail(name, 'UNKNOWN_FIELD', `There is no such field; known are ${names.join(', ')}.`);
      }
    }
  }

  #missing(name: string): Error {
    return this.#fail(name, 'BASE_TYPE_REQUIRED', 'This field is required');
  }
}
