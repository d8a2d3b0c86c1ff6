import { EventEmitter, once } from 'node:events';
import { parseShards } from '@bailiff/bot/shards';
import { webEnvironment } from '@bailiff/bot/web-environment';
import { ConfigurationError } from '@bailiff/core/configuration-error';
import { complain, say } from './console.ts';
import { Front } from './front.ts';
import { metricsPort } from './metrics-ports.ts';
import type { Service } from './service.ts';
import { reasonOf, StartError } from './start-error.ts';
import { type Processes, type ProcessSettings, supervise } from './supervise.ts';

const BOTS = 2;
/** The shards of all bots, unless BOT_SHARDS says otherwise. */
const SHARDS = '4';
const WEBS = 2;
const READY_TIMEOUT_MS = 70_000;
/** Discord admits a session every five seconds, so the last of four shards waits for twenty. */
const SESSION_MS = 5_000;
const HAND_OVER_TIMEOUT_MS = 10_000;
/** A web process that is replaced answers what is left, however long a call may wait. */
const RETIRE_TIMEOUT_MS = 80_000;
const BOT_STOP_TIMEOUT_MS = 15_000;

/** A process of the cluster, and what it says. */
interface Member {
  readonly service: Service;
  /** The next message of this type. @throws StartError if it does not come in time */
  said(type: string, withinMs: number): Promise<unknown>;
}

/** Runs a cluster as `supervise` runs one bot. */
export function superviseCluster(): Promise<never> {
  return supervise(startCluster, { bots: BOTS, webs: WEBS });
}

/** Starts two web processes behind one port, and two bots. `started` has them even if one does not get ready. */
export async function startCluster(
  settings: ProcessSettings,
  started: { processes?: Processes },
): Promise<void> {
  const cluster = new Cluster(settings);
  started.processes = cluster;
  await cluster.start();
}

/**
 * The shards of each bot, as one bot reads them: those of BOT_SHARDS, divided as evenly as can be.
 *
 * @throws ConfigurationError if there are not enough of them
 */
function shardsOfBots(text = SHARDS): readonly string[] {
  const parsed = parseShards(text);
  const { ids, count } = parsed.ok ? parsed.shards : { ids: [], count: 0 };
  if (ids.length < BOTS) {
    const problem = parsed.ok
      ? `must name ${BOTS} shards or more here, because the cluster has ${BOTS} bots: leave it empty for ${SHARDS}`
      : parsed.message;
    throw new ConfigurationError([{ variable: 'BOT_SHARDS', message: `BOT_SHARDS ${problem}.` }]);
  }
  const shareBefore = (bot: number) => Math.floor((bot * ids.length) / BOTS);
  return Array.from({ length: BOTS }, (_, bot) => {
    const own = ids.slice(shareBefore(bot), shareBefore(bot + 1));
    return `${own[0]}-${own.at(-1)}/${count}`;
  });
}

class Cluster implements Processes {
  readonly #settings: ProcessSettings;
  readonly #shards: readonly string[];
  readonly #readyTimeoutMs: number;
  readonly #front = new Front();
  readonly #webs: Member[] = [];
  readonly #bots: Member[] = [];
  /** Those that were replaced, until they have ended. */
  readonly #leaving = new Map<Service, Promise<void>>();
  /** The one that is to take the place of another, until it has it. */
  #candidate: Service | undefined;
  #restarting: Promise<void> | undefined;
  #isReady = false;
  readonly #stopping = new AbortController();

  constructor(settings: ProcessSettings) {
    this.#settings = settings;
    this.#shards = shardsOfBots(settings.env.BOT_SHARDS);
    this.#readyTimeoutMs = READY_TIMEOUT_MS + SESSION_MS * Number(this.#shards[0]?.split('/')[1]);
  }

  get pids() {
    const pidOf = ({ service }: Member) => service.pid ?? 0;
    return { bot: this.#bots.map(pidOf)[0] ?? 0, bots: this.#bots.map(pidOf), webs: this.#webs.map(pidOf) };
  }

  async start(): Promise<void> {
    const { host, port } = this.#settings;
    await this.#front.listen(host, port);
    const starting: Promise<unknown>[] = [];
    for (const [index, shards] of this.#shards.entries()) {
      const bot = this.#begin(index, shards);
      this.#bots.push(bot);
      starting.push(bot.said('ready', this.#readyTimeoutMs));
    }
    for (let index = 0; index < WEBS; index += 1) {
      const web = this.#beginWeb(index);
      this.#webs.push(web);
      starting.push(web.said('ready', this.#readyTimeoutMs));
    }
    await Promise.all(starting);
    this.#isReady = true;
  }

  replaceAll(): void {
    if (this.#isReady) void this.#restartAll();
    else complain('Nothing is replaced: the processes are still starting.');
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#front.close();
    // Bots last: calls that are left in web processes need them.
    const bots = this.#bots.map(({ service }) => service);
    const others = this.#services().filter((service) => !bots.includes(service));
    for (const services of [others, bots]) await Promise.all(services.map((service) => service.stop()));
    await this.#restarting?.catch(() => {});
  }

  kill(): void {
    for (const service of this.#services()) service.kill();
  }

  #services(): Service[] {
    const candidates = this.#candidate === undefined ? [] : [this.#candidate];
    const members = [...this.#webs, ...this.#bots].map(({ service }) => service);
    return [...members, ...this.#leaving.keys(), ...candidates];
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted || this.#settings.stop.isAsked;
  }

  /** Replaces one process after the other by a new one, which does not begin before the other has ended its part. */
  async #restartAll(): Promise<void> {
    if (this.#restarting !== undefined || this.#isStopping) return;
    say('Replacing all processes, with the settings of the start …');
    this.#restarting = this.#replaceEach();
    try {
      await this.#restarting;
      this.#settings.onChange();
      say('All processes are replaced.');
    } catch (error) {
      if (!this.#isStopping) complain(`Not all processes were replaced: ${reasonOf(error)}`);
    } finally {
      this.#restarting = undefined;
    }
  }

  async #replaceEach(): Promise<void> {
    for (const index of this.#webs.keys()) await this.#replaceWeb(index);
    for (const [index, shards] of this.#shards.entries()) await this.#replaceBot(index, shards);
    await Promise.all(this.#leaving.values());
  }

  async #replaceWeb(index: number): Promise<void> {
    const { before } = await this.#replace(this.#webs, index, 'ready', () => this.#beginWeb(index));
    const { service } = before;
    this.#front.remove(service);
    this.#leave(service, service.stop({ message: { type: 'retire' }, timeoutMs: RETIRE_TIMEOUT_MS }));
  }

  async #replaceBot(index: number, shards: string): Promise<void> {
    const begin = () => this.#begin(index, shards, ['--standby']);
    const { before, member: bot } = await this.#replace(this.#bots, index, 'standby', begin);
    const handingOver = handedOver(before);
    this.#leave(
      before.service,
      handingOver.then(() => before.service.stop()),
    );
    const handover = await handingOver;
    const ready = bot.said('ready', this.#readyTimeoutMs);
    bot.service.send({ type: 'take_over', handover });
    await ready;
  }

  /** Puts a new process in the place of another. One that cannot be used leaves the one before as it is. */
  async #replace(
    members: Member[],
    index: number,
    usable: 'ready' | 'standby',
    begin: () => Member,
  ): Promise<{ before: Member; member: Member }> {
    const before = members[index];
    if (before === undefined || this.#isStopping) throw new StartError('Bailiff is being stopped.');
    const member = begin();
    this.#candidate = member.service;
    try {
      await member.said(usable, this.#readyTimeoutMs);
      members[index] = member;
      return { before, member };
    } catch (error) {
      await member.service.stop();
      throw error;
    } finally {
      this.#candidate = undefined;
    }
  }

  #leave(service: Service, stopping: Promise<void>): void {
    this.#leaving.set(
      service,
      stopping.finally(() => this.#leaving.delete(service)),
    );
  }

  #begin(index: number, shards: string, args: readonly string[] = []): Member {
    const own = { ...this.#settings.env, WEB: 'off', BOT_SHARDS: shards };
    const env = withMetricsPort(own, 'METRICS_PORT', index);
    return this.#member(`bot-${index + 1}`, { entry: 'apps/bot/src/main.ts', env, args });
  }

  #beginWeb(index: number): Member {
    // It listens on a port of its own too, which is not told to anybody.
    const own = { ...this.#settings.env, HOST: '127.0.0.1', PORT: '0' };
    const env = webEnvironment(withMetricsPort(own, 'METRICS_WEB_PORT', index));
    const web = this.#member(`web-${index + 1}`, {
      entry: 'apps/web/src/server.ts',
      env,
      onReady: () => this.#front.add(web.service),
      onTaken: (id) => this.#front.taken(id),
      onEnd: () => this.#front.ended(web.service),
    });
    return web;
  }

  #member(name: string, { entry, env, args, onReady, onTaken, onEnd }: MemberSettings): Member {
    const messages = new EventEmitter();
    const unusable = new AbortController();
    const service: Service = this.#settings.begin(name, entry, env, {
      args: args ?? [],
      stopTimeoutMs: BOT_STOP_TIMEOUT_MS,
      onMessage: (message) => {
        const { type, id } = message as { type: string; id?: number };
        if (type === 'ready') onReady?.();
        if (type === 'taken' && id !== undefined) onTaken?.(id);
        messages.emit(type, message);
      },
      onFatal: (exitCode) => {
        if (this.#candidate === service) unusable.abort();
        else this.#settings.stop.ask(exitCode);
      },
      onRestart: () => this.#settings.onChange(),
      onEnd: () => onEnd?.(),
    });
    return {
      service,
      said: async (type, withinMs) => {
        const stopping = [this.#settings.stop.signal, this.#stopping.signal];
        const signal = AbortSignal.any([...stopping, unusable.signal, AbortSignal.timeout(withinMs)]);
        const [message] = await once(messages, type, { signal }).catch(() => {
          const what = unusable.signal.aborted
            ? 'cannot work'
            : `did not say that it is ${type} within ${withinMs / 1000} s`;
          throw new StartError(`The ${name} ${what}. Log: ${service.logPath}`);
        });
        return message;
      },
    };
  }
}

function withMetricsPort(
  env: NodeJS.ProcessEnv,
  name: 'METRICS_PORT' | 'METRICS_WEB_PORT',
  index: number,
): NodeJS.ProcessEnv {
  const first = Number(env[name] ?? 0);
  // What is no number is told by the process that reads it.
  return first > 0 ? { ...env, [name]: String(metricsPort(first, index)) } : env;
}

interface MemberSettings {
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  readonly onReady?: () => void;
  /** Called with the number of each connection that it takes. */
  readonly onTaken?: (id: number) => void;
  readonly onEnd?: () => void;
}

/** Null if the bot cannot hand its shards over: then the next one begins new sessions. */
async function handedOver({ service, said }: Member): Promise<unknown> {
  const answer = said('handed_over', HAND_OVER_TIMEOUT_MS);
  service.send({ type: 'hand_over' });
  const message = await answer.catch(() => undefined);
  return Object(message).handover ?? null;
}
