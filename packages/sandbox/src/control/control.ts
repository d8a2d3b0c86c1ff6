import { ControlError } from '#src/errors.ts';
import type { Fault, FaultRequest } from '#src/faults.ts';
import type { RconFaultRequest, RconListingRequest, RconServer } from '#src/rcon-server.ts';
import type { LoggedRequest } from '#src/request-log.ts';
import { type ApplicationRequest, controlApplication } from './application.ts';
import { type ChannelRequest, controlChannels } from './channels.ts';
import { controlEntitlements, type EntitlementRequest } from './entitlements.ts';
import {
  controlGateway,
  controlGuilds,
  controlRoles,
  type GatewayRequest,
  type GuildRequest,
  type RoleRequest,
} from './guilds.ts';
import { controlInteractions, type InteractionRequest, interactionPayload } from './interactions.ts';
import { controlLimits, type LimitsRequest } from './limits.ts';
import { controlMessages, type MessageRequest } from './messages.ts';
import { type BanRequest, controlBans, controlMembers, type MemberRequest } from './people.ts';
import { readState, type SandboxState, type StateSources } from './state.ts';

/**
 * Controls the sandbox from outside Discord's API; the HTTP control endpoints call the same methods. Each method checks
 * its input and throws a ControlError that says what to change.
 */
export class Control {
  readonly #sources: StateSources;
  readonly #servers: readonly RconServer[];

  constructor(sources: StateSources, servers: readonly RconServer[]) {
    this.#sources = sources;
    this.#servers = servers;
  }

  /** The whole state, with the newest `messageCount` messages of each channel. What is in it changes with the sandbox. */
  view(messageCount = 50): SandboxState {
    return readState(this.#sources, messageCount);
  }

  /** A copy of {@link view}, which stays as it is. */
  state(messageCount = 50): SandboxState {
    return structuredClone(this.view(messageCount));
  }

  async stateAfter(
    wait: { afterChange: number; waitMs: number },
    messageCount: number,
  ): Promise<SandboxState> {
    await this.changeAfter(wait);
    return this.state(messageCount);
  }

  /** Waits until the number of the latest change is above `afterChange` or the time is over, and returns the number. */
  async changeAfter({ afterChange, waitMs }: { afterChange: number; waitMs: number }): Promise<number> {
    const { world } = this.#sources;
    if (world.changes <= afterChange && waitMs > 0) {
      await world.until(() => world.changes > afterChange, waitMs).catch(() => undefined);
    }
    return world.changes;
  }

  /** Requests that reached the API, with numbers above `after`. */
  requests(after: number): { total: number; invalid: number; requests: LoggedRequest[] } {
    const { log } = this.#sources;
    return {
      total: log.total,
      invalid: log.invalid,
      requests: log.entries.filter((entry) => entry.id > after),
    };
  }

  interaction(id: string) {
    const { world } = this.#sources;
    const interaction = world.interactions.get(id);
    if (!interaction) throw new ControlError(404, `There is no interaction ${id}.`);
    return interactionPayload(world, interaction);
  }

  interact(request: InteractionRequest) {
    return controlInteractions(this.#sources.world, request);
  }

  messages(request: MessageRequest) {
    return controlMessages(this.#sources.world, request);
  }

  members(request: MemberRequest) {
    return controlMembers(this.#sources.world, request);
  }

  bans(request: BanRequest) {
    return controlBans(this.#sources.world, request);
  }

  roles(request: RoleRequest) {
    return controlRoles(this.#sources.world, request);
  }

  channels(request: ChannelRequest) {
    return controlChannels(this.#sources.world, request);
  }

  guilds(request: GuildRequest) {
    return controlGuilds(this.#sources.world, request);
  }

  gateway(request: GatewayRequest) {
    return controlGateway(this.#sources.world, this.#sources.gateway, request);
  }

  application(request: ApplicationRequest) {
    return controlApplication(this.#sources.world, request);
  }

  entitlements(request: EntitlementRequest) {
    return controlEntitlements(this.#sources.world, request);
  }

  limits(request: LimitsRequest) {
    this.#sources.world.conversations.clear();
    return controlLimits(this.#sources.rateLimits, this.#sources.bans, request);
  }

  listFaults(): Fault[] {
    return this.#sources.faults.list();
  }

  addFault(request: FaultRequest): Fault {
    return this.#sources.faults.add(request);
  }

  clearFaults(): number {
    return this.#sources.faults.clear();
  }

  addRconFault(request: RconFaultRequest): RconFaultRequest[] {
    return this.#servers.map((server) => server.addFault(request));
  }

  /** Chooses the game whose answer `ListPlayers` gets. */
  setRconListing(request: RconListingRequest): RconListingRequest[] {
    return this.#servers.map((server) => server.setListing(request));
  }

  clearRconFaults(): number {
    return this.#servers.reduce((count, server) => count + server.clearFaults(), 0);
  }
}
