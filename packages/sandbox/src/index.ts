export type { ApplicationRequest } from './control/application.ts';
export type { ChannelRequest } from './control/channels.ts';
export type { Control } from './control/control.ts';
export type { EntitlementRequest } from './control/entitlements.ts';
export type { GatewayRequest, GuildRequest, RoleRequest } from './control/guilds.ts';
export type { InteractionRequest } from './control/interactions.ts';
export type { MessageRequest } from './control/messages.ts';
export type { BanRequest, MemberRequest } from './control/people.ts';
export type { SandboxState } from './control/state.ts';
export { ControlError } from './errors.ts';
export type { FaultRequest } from './faults.ts';
export { type RconFaultRequest, type RconOptions, RconServer, type RconStyle } from './rcon-server.ts';
export type { ReadyMessage } from './ready.ts';
export type { LoggedRequest } from './request-log.ts';
export {
  type GameServer,
  type Sandbox,
  type SandboxAddresses,
  type SandboxOptions,
  startSandbox,
} from './sandbox.ts';
