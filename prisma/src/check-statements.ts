import pg from 'pg';
import { type DeclaredStatement, declaredStatements } from './sql.ts';
import type { SqlType } from './sql-types.ts';

/**
 * Prepares every declared statement without running it, and compares its declared parameters and columns with those
 * that PostgreSQL reports: names, types, and whether a column can be null if PostgreSQL knows.
 *
 * @returns a sentence for each difference
 */
export async function checkStatements(
  url: string,
  statements: readonly DeclaredStatement[] = declaredStatements(),
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const flaws: string[] = [];
    for (const statement of statements) {
      for (const flaw of await flawsOf(client, statement))
        flaws.push(`${flaw}\n  in: ${shortened(statement)}`);
    }
    return flaws;
  } finally {
    await client.end();
  }
}

function shortened({ text }: DeclaredStatement): string {
  return text.replace(/\s+/g, ' ').slice(0, 160);
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly tableID: number;
  readonly columnID: number;
}

interface Described {
  readonly parameters: readonly number[];
  readonly fields: readonly Field[];
}

async function flawsOf(client: pg.Client, statement: DeclaredStatement): Promise<string[]> {
  const described = await describe(client, statement.text).catch(asError);
  if (described instanceof Error) return [`PostgreSQL refuses it: ${described.message}`];
  const typeNames = await namesOfTypes(client, [
    ...described.parameters,
    ...described.fields.map(({ dataTypeID }) => dataTypeID),
  ]);
  const nameOf = (oid: number) => typeNames.get(oid) ?? String(oid);
  return [
    ...flawsOfParameters(statement, described.parameters.map(nameOf)),
    ...(statement.columns === undefined
      ? []
      : flawsOfColumns(
          statement,
          statement.columns,
          described.fields,
          nameOf,
          await notNulls(client, described),
        )),
  ];
}

function flawsOfParameters({ parameters }: DeclaredStatement, actual: readonly string[]): string[] {
  if (parameters.length !== actual.length) {
    return [
      `It has ${actual.length} parameters (${actual.join(', ')}), and ${parameters.length} are declared.`,
    ];
  }
  return parameters.flatMap((type, index) => {
    const is = actual[index] ?? '';
    return isSameType(type, is) ? [] : [`$${index + 1} is ${is}, and declared as ${type.name}.`];
  });
}

function flawsOfColumns(
  { text }: DeclaredStatement,
  columns: Readonly<Record<string, SqlType<unknown>>>,
  fields: readonly Field[],
  nameOf: (oid: number) => string,
  notNull: ReadonlyMap<string, boolean>,
): string[] {
  const actual = new Map(fields.map((field) => [field.name, field]));
  const twice = fields.filter((field) => actual.get(field.name) !== field);
  const isOuterJoined = /\b(LEFT|RIGHT|FULL)\b(\s+OUTER)?\s+JOIN\b/i.test(text);
  return [
    ...twice.map(({ name }) => `Two columns are called ${name}.`),
    ...fields
      .filter(({ name }) => !Object.hasOwn(columns, name))
      .map(({ name }) => `Its column ${name} is not declared.`),
    ...Object.entries(columns).flatMap(([name, type]) => {
      const field = actual.get(name);
      if (field === undefined) return [`It has no column ${name}.`];
      const is = nameOf(field.dataTypeID);
      if (!isSameType(type, is)) return [`Its column ${name} is ${is}, and declared as ${type.name}.`];
      const isNotNull = notNull.get(`${field.tableID}.${field.columnID}`);
      if (isNotNull === undefined || isOuterJoined) return [];
      if (isNotNull && type.nullability !== 'not_null') {
        return [`Its column ${name} is never null, and declared as if it could be.`];
      }
      if (!isNotNull && type.nullability === 'not_null') {
        return [`Its column ${name} can be null (orNull), unless the statement rules it out (neverNull).`];
      }
      return [];
    }),
  ];
}

/** Types that `pg` reads and writes in the same way. */
const ALIKE: Readonly<Record<string, string>> = { 'character varying': 'text', name: 'text' };

function isSameType(type: SqlType<unknown>, name: string): boolean {
  return type.name === (ALIKE[name] ?? name);
}

async function namesOfTypes(client: pg.Client, oids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>(
    'SELECT oid::int, format_type(oid, NULL) AS name FROM unnest($1::oid[]) AS oid',
    [oids],
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

/** Whether columns of tables are NOT NULL. PostgreSQL does not report this for expressions and for columns of views. */
async function notNulls(client: pg.Client, { fields }: Described): Promise<Map<string, boolean>> {
  const { rows } = await client.query<{ column: string; is_not_null: boolean }>(
    `SELECT attrelid || '.' || attnum AS column, attnotnull AS is_not_null
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attrelid = ANY ($1::oid[]) AND relkind IN ('r', 'p')`,
    [fields.map(({ tableID }) => tableID)],
  );
  return new Map(rows.map(({ column, is_not_null }) => [column, is_not_null]));
}

/** Parameter types and columns, by the protocol's Parse and Describe: nothing is executed. */
function describe(client: pg.Client, text: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    let parameters: readonly number[] = [];
    let fields: readonly Field[] = [];
    const { connection } = client as unknown as { connection: Wire };
    const onParameters = (message: { dataTypeIDs: number[] }) => {
      parameters = message.dataTypeIDs;
    };
    connection.once('parameterDescription', onParameters);
    client.query({
      submit: () => {
        connection.parse({ name: '', text, types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
        return null;
      },
      handleRowDescription: (message: { fields: readonly Field[] }) => {
        fields = message.fields;
      },
      handleError: (error: Error) => {
        connection.removeListener('parameterDescription', onParameters);
        reject(error);
      },
      handleReadyForQuery: () => resolve({ parameters, fields }),
    } as unknown as pg.Submittable);
  });
}

interface Wire {
  parse(query: { name: string; text: string; types: number[] }): void;
  describe(what: { type: 'S'; name: string }): void;
  sync(): void;
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
  removeListener(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
