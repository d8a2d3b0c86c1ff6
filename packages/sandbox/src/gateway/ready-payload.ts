import type { Guild } from '#src/model.ts';
import { userPayload } from '#src/payloads.ts';
import type { World } from '#src/world.ts';
import type { Session } from './session.ts';

/** The data of READY. The guilds follow, one GUILD_CREATE each. */
export function readyPayload(world: World, session: Session, guilds: readonly Guild[], url: string) {
  return {
    v: 10,
    user: { ...userPayload(world.bot), verified: true, mfa_enabled: world.ownerHasTwoFactor, email: null },
    guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: session.id,
    session_type: 'normal',
    resume_gateway_url: url,
    shard: session.shard,
    application: { id: world.applicationId, flags: 0 },
    private_channels: [],
    relationships: [],
    user_settings: {},
    presences: [],
    guild_join_requests: [],
    _trace: ['sandbox'],
  };
}
