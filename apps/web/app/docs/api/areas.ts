import { REST_OPERATION_NAMES, type RestOperation } from '@bailiff/core';

type Area = RestOperation extends infer Name ? (Name extends `${infer A}.${string}` ? A : Name) : never;

const TITLES: Readonly<Record<Area & string, string>> = {
  me: 'The token',
  strikes: 'Strikes',
  bans: 'Bans',
  mutes: 'Mutes',
  tickets: 'Tickets',
  messages: 'Messages',
  servers: 'Game servers',
  members: 'Members',
  rules: 'Rules',
  audit: 'Audit log',
  actions: 'Actions',
};

/** The operations under the headings of the page, in the order of the table. */
export const AREAS = Object.entries(TITLES).map(([area, title]) => ({
  id: area === 'me' ? 'token' : area,
  title,
  operations: REST_OPERATION_NAMES.filter((name) => name === area || name.startsWith(`${area}.`)),
}));
