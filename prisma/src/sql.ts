import { hash } from 'node:crypto';
import type { QueryConfig, QueryResult } from 'pg';
import { type SqlType, sqlTypes } from './sql-types.ts';

/** Anything that runs a query: the pool for a statement of its own, or a transaction. */
export interface Queryable {
  query(query: QueryConfig): Promise<QueryResult>;
}

export type Columns = Readonly<Record<string, SqlType<unknown>>>;
export type Parameters = readonly SqlType<unknown>[];

/** A row with these columns. */
export type RowOf<C extends Columns> = { -readonly [Name in keyof C]: C[Name]['column'] };

/** Values for these parameters, in their order. */
export type ValuesOf<P extends Parameters> = { readonly [Index in keyof P]: P[Index]['parameter'] };

interface CommandDeclaration<P extends Parameters> {
  /** Types of `$1`, `$2`, … */
  readonly parameters: P;
  readonly text: string;
  /** False where the best plan depends on the values. */
  readonly prepared?: boolean;
}

interface StatementDeclaration<P extends Parameters, C extends Columns> extends CommandDeclaration<P> {
  /** All columns of the result. */
  readonly columns: C;
}

/** A statement that is run for its effect. */
export interface Command<P extends Parameters> {
  readonly text: string;
  readonly parameters: P;
  /** What `pg` sends: the text, its name and the values. */
  query(values: ValuesOf<P>): QueryConfig;
  /** Runs it. Returns how many rows it changed or found. */
  run(db: Queryable, values: ValuesOf<P>): Promise<number>;
}

/** A statement that is run for its rows. */
export interface Statement<P extends Parameters, Row> extends Command<P> {
  readonly columns: Columns;
  /** All rows. */
  all(db: Queryable, values: ValuesOf<P>): Promise<Row[]>;
  /** The first row, or null. */
  first(db: Queryable, values: ValuesOf<P>): Promise<Row | null>;
  /** The first row of a statement that always has one. */
  only(db: Queryable, values: ValuesOf<P>): Promise<Row>;
}

/** A statement as a test checks it; `columns` are absent of a command. */
export interface DeclaredStatement {
  readonly text: string;
  readonly parameters: Parameters;
  readonly columns?: Columns;
}

/** Statements whose text is put together at run time. */
export interface Family {
  readonly name: string;
  readonly statements: readonly DeclaredStatement[];
  /** The statement with this text, declared at its first use. */
  statement<const P extends Parameters, const C extends Columns>(
    declaration: StatementDeclaration<P, C>,
  ): Statement<P, RowOf<C>>;
}

/** Collects the parameters of a text that is put together at run time. */
export class Bindings {
  readonly parameters: SqlType<unknown>[] = [];
  readonly values: unknown[] = [];

  /** Adds a parameter. Returns how the text refers to it: `$3`. */
  bind<In>(type: SqlType<unknown, In>, value: In): string {
    this.values.push(value);
    return `$${this.parameters.push(type)}`;
  }
}

const declared: DeclaredStatement[] = [];
const families: Family[] = [];

/** Every statement that the modules loaded so far have declared, those of families included. */
export function declaredStatements(): readonly DeclaredStatement[] {
  return [...declared, ...families.flatMap(({ statements }) => statements)];
}

export function declaredFamilies(): readonly Family[] {
  return families;
}

function commandOf<const P extends Parameters>(declaration: CommandDeclaration<P>): Command<P> {
  const { text, parameters, prepared = true } = declaration;
  // Two texts cannot share a name, so a connection that has prepared one never runs it in place of the other.
  const name = prepared ? hash('sha256', text, 'base64url') : undefined;
  const query = (values: ValuesOf<P>): QueryConfig => ({
    ...(name === undefined ? {} : { name }),
    text,
    values: parameters.map((type, index) => type.encode(values[index])),
  });
  return {
    text,
    parameters,
    query,
    run: async (db, values) => (await db.query(query(values))).rowCount ?? 0,
  };
}

function statementOf<const P extends Parameters, const C extends Columns>(
  declaration: StatementDeclaration<P, C>,
): Statement<P, RowOf<C>> {
  const command = commandOf(declaration);
  const all = async (db: Queryable, values: ValuesOf<P>): Promise<RowOf<C>[]> =>
    (await db.query(command.query(values))).rows;
  return {
    ...command,
    columns: declaration.columns,
    all,
    first: async (db, values) => (await all(db, values))[0] ?? null,
    only: async (db, values) => {
      const [row] = await all(db, values);
      if (row === undefined) throw new Error(`A statement that always has a row had none: ${command.text}`);
      return row;
    },
  };
}

/**
 * SQL of the product, declared once at the top of a module and run against a pool or a transaction:
 *
 * ```ts
 * const ownerOfGuild = sql.statement({
 *   parameters: [sql.text],
 *   columns: { owner_id: sql.text },
 *   text: 'SELECT owner_id FROM guilds WHERE id = $1',
 * });
 * const guild = await ownerOfGuild.first(db.pool, [guildId]); // { owner_id: string } | null
 * ```
 *
 * A statement is prepared under a hash of its text. Tests prepare each one against the migrated database and compare
 * its parameters and columns with what is declared here.
 */
export const sql = {
  ...sqlTypes,

  /** The names of columns, as a SELECT or RETURNING lists them; with a table's alias before each where one is given. */
  names(columns: Columns, alias?: string): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return Object.keys(columns)
      .map((name) => `${prefix}${name}`)
      .join(', ');
  },

  /** A statement whose rows are read. */
  statement<const P extends Parameters, const C extends Columns>(
    declaration: StatementDeclaration<P, C>,
  ): Statement<P, RowOf<C>> {
    const statement = statementOf(declaration);
    declared.push(statement);
    return statement;
  },

  /** A statement that is run for its effect, or to count the rows it finds. */
  command<const P extends Parameters>(declaration: CommandDeclaration<P>): Command<P> {
    const command = commandOf(declaration);
    declared.push(command);
    return command;
  },

  /**
   * For texts that are put together at run time, such as lists with optional filters.
   *
   * @param most texts that are prepared; a connection keeps each of them. Further ones run without a name.
   */
  family(name: string, most: number): Family {
    const byText = new Map<string, DeclaredStatement>();
    const family: Family = {
      name,
      get statements() {
        return [...byText.values()];
      },
      statement<const P extends Parameters, const C extends Columns>(
        declaration: StatementDeclaration<P, C>,
      ): Statement<P, RowOf<C>> {
        const known = byText.get(declaration.text);
        // The text decides the columns and parameters: whoever asks with it again declares the same.
        if (known !== undefined) return known as Statement<P, RowOf<C>>;
        if (byText.size >= most) return statementOf({ ...declaration, prepared: false });
        const statement = statementOf(declaration);
        byText.set(declaration.text, statement);
        return statement;
      },
    };
    families.push(family);
    return family;
  },
} as const;
