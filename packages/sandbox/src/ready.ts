import type { SandboxAddresses } from './sandbox.ts';

/** The message that the sandbox's process sends to its parent when it is ready. */
export interface ReadyMessage extends SandboxAddresses {
  readonly type: 'ready';
}

/** The addresses of a running sandbox without its functions, for a message or a file. */
export function readyMessage(sandbox: SandboxAddresses): ReadyMessage {
  return {
    type: 'ready',
    url: sandbox.url,
    apiUrl: sandbox.apiUrl,
    gatewayUrl: sandbox.gatewayUrl,
    guildId: sandbox.guildId,
    otherGuildId: sandbox.otherGuildId,
    botToken: sandbox.botToken,
    clientId: sandbox.clientId,
    clientSecret: sandbox.clientSecret,
    people: sandbox.people,
    channels: sandbox.channels,
    servers: sandbox.servers,
  };
}
