/** A type of PostgreSQL, for a column or a parameter of a statement: the TypeScript types follow from it. */
export class SqlType<Out, In = Out> {
  /** As PostgreSQL writes it: `text`, `integer[]`, `"CaseKind"`. */
  readonly name: string;
  readonly nullability: Nullability;
  /** What goes over the wire for a value. */
  readonly encode: (value: unknown) => unknown;
  /** What a column of this type holds. Exists for the compiler only. */
  declare readonly column: Out;
  /** What a parameter of this type takes. Exists for the compiler only. */
  declare readonly parameter: In;

  constructor(name: string, nullability: Nullability = 'not_null', encode = (value: unknown) => value) {
    this.name = name;
    this.nullability = nullability;
    this.encode = encode;
  }

  /** The same, or null. */
  get orNull(): SqlType<Out | null, In | null> {
    return new SqlType(this.name, 'nullable', this.encode);
  }

  /** The table allows null here, and the statement rules it out. */
  get neverNull(): SqlType<Out, In> {
    return new SqlType(this.name, 'ruled_out', this.encode);
  }

  /** The same with a narrower type that PostgreSQL does not know, such as the values of a text column. */
  as<Narrow extends Out>(): SqlType<Narrow> {
    return new SqlType(this.name, this.nullability, this.encode);
  }
}

type Nullability = 'not_null' | 'nullable' | 'ruled_out';

const asJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Types whose TypeScript side is what `pg` returns for them. */
export const sqlTypes = {
  text: new SqlType<string>('text'),
  bool: new SqlType<boolean>('boolean'),
  int: new SqlType<number>('integer'),
  /** 64 bits: a column comes as a string, a parameter may be a number (a LIMIT is one). */
  bigint: new SqlType<string, string | number | bigint>('bigint'),
  float: new SqlType<number>('double precision'),
  numeric: new SqlType<string, string | number>('numeric'),
  bytea: new SqlType<Buffer>('bytea'),
  /** A parameter may be an ISO 8601 string. */
  timestamptz: new SqlType<Date, Date | string>('timestamp with time zone'),
  date: new SqlType<never, string>('date'),
  /** The caller declares the content, because PostgreSQL does not know it. */
  jsonb: <Value = unknown>() => new SqlType<Value>('jsonb', 'not_null', asJson),
  json: <Value = unknown>() => new SqlType<Value>('json', 'not_null', asJson),
  arrayOf: <Out, In>(element: SqlType<Out, In>) => new SqlType<Out[], readonly In[]>(`${element.name}[]`),
  /** An enum of the schema, given under its name: `sql.oneOf({ CaseKind })`. */
  oneOf: <Value extends string>(named: Readonly<Record<string, Readonly<Record<string, Value>>>>) =>
    new SqlType<Value>(`"${Object.keys(named).join()}"`),
} as const;
