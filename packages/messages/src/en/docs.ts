/** What stands around the API reference, which itself is in English. */
export const docs = {
  openApi: 'OpenAPI document',
  lead: 'Moderate a guild from your own programs. The examples paste into a shell.',
  filledIn: 'They are filled in with your guild.',
  putYourGuild: 'Put your guild’s id in place of {id}.',
} as const;
