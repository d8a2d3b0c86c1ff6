import type { World } from '#src/world.ts';
import { controlFields } from './resolve.ts';

/** The body of `POST /sandbox/application`: the bot's application and its owner's account, as in the portal. */
export interface ApplicationRequest {
  /** Whether the Message Content Intent is switched on. */
  message_content?: boolean;
  /** Whether the Server Members Intent is switched on. */
  server_members?: boolean;
  /** The addresses that the portal lists as redirects. */
  redirect_uris?: string[];
  /** Whether the owner of the application uses two-factor authentication. */
  owner_two_factor?: boolean;
}

export function controlApplication(world: World, body: unknown) {
  const fields = controlFields(body, [
    'message_content',
    'server_members',
    'redirect_uris',
    'owner_two_factor',
  ]);
  world.hasMessageContent = fields.boolean('message_content') ?? world.hasMessageContent;
  world.hasServerMembers = fields.boolean('server_members') ?? world.hasServerMembers;
  world.redirectUris = fields.strings('redirect_uris') ?? world.redirectUris;
  world.ownerHasTwoFactor = fields.boolean('owner_two_factor') ?? world.ownerHasTwoFactor;
  world.changed();
  return {
    message_content: world.hasMessageContent,
    server_members: world.hasServerMembers,
    redirect_uris: world.redirectUris,
    owner_two_factor: world.ownerHasTwoFactor,
  };
}
