import { Snowflake } from '@bailiff/core';
import { importBanPage } from '@bailiff/engine/imports/ban-list';
import {
  beginImport,
  checkRows,
  finishImport,
  ImportSource,
  importRows,
  MOST_ROWS_OF_STEP,
  undoImport,
} from '@bailiff/engine/imports/imports';
import { z } from 'zod';
import { bodyOf, Name } from './input.ts';
import { json, type Route, requireFreshSignIn } from './route.ts';

const IMPORTS = '/api/guilds/{guildId}/imports';
/** The largest body with rows, in bytes. */
const MOST_ROWS_BYTES = 512 * 1024;

const Source = z.enum(ImportSource);
const Rows = z.array(z.unknown()).min(1).max(MOST_ROWS_OF_STEP);
const Begin = z.strictObject({ source: Source, file_name: Name, file_size: z.int().min(0) });
const Check = z.strictObject({ source: Source, rows: Rows });
const Bring = z.strictObject({ rows: Rows });
/** `0` for the first page of the list. */
const BanPage = z.strictObject({ after: z.union([z.literal('0'), Snowflake]), dry: z.boolean() });

/**
 * The import of a file that the owner's browser reads (decisions: Imports): it is begun, its rows come step by step, and
 * then it is finished. A row is any value; its fate says what is wrong with it. Whoever has an old cookie neither brings
 * records about people, of which strikes count, nor takes any away.
 */
export const importRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: IMPORTS,
    handle: async ({ db }, request) => {
      requireFreshSignIn(request);
      const { source, file_name: fileName, file_size: fileSize } = await bodyOf(request, Begin);
      const file = { source, fileName, fileSize };
      const { id, brought } = await beginImport(db, request.call, request.params.guildId ?? '', file);
      return json(201, { import_id: id, brought });
    },
  },
  {
    method: 'POST',
    path: '/api/guilds/{guildId}/import-checks',
    handle: async ({ db }, request) => {
      const { source, rows } = await bodyOf(request, Check, MOST_ROWS_BYTES);
      const fates = await checkRows(db, request.call, request.params.guildId ?? '', source, rows);
      return json(200, { fates });
    },
  },
  {
    method: 'POST',
    path: `${IMPORTS}/{importId}/rows`,
    handle: async ({ db }, request) => {
      requireFreshSignIn(request);
      const { guildId = '', importId = '' } = request.params;
      const { rows } = await bodyOf(request, Bring, MOST_ROWS_BYTES);
      return json(200, { fates: await importRows(db, request.call, guildId, importId, rows) });
    },
  },
  {
    method: 'POST',
    path: `${IMPORTS}/{importId}/bans`,
    handle: async ({ engine }, request) => {
      requireFreshSignIn(request);
      const { guildId = '', importId = '' } = request.params;
      const { after, dry: isDry } = await bodyOf(request, BanPage);
      const page = { after, isDry };
      return json(200, await importBanPage(engine, request.call, guildId, importId, page));
    },
  },
  {
    method: 'POST',
    path: `${IMPORTS}/{importId}/finish`,
    handle: async ({ db }, request) => {
      const { guildId = '', importId = '' } = request.params;
      await finishImport(db, request.call, guildId, importId);
      return json(200, { import_id: importId });
    },
  },
  {
    method: 'POST',
    path: `${IMPORTS}/{importId}/undo`,
    handle: async ({ db }, request) => {
      requireFreshSignIn(request);
      const { guildId = '', importId = '' } = request.params;
      return json(200, await undoImport(db, request.call, guildId, importId));
    },
  },
];
