import { expect } from 'vitest';
import { COMMAND_DEFINITIONS } from '#src/chat/commands.ts';
import { guildForEachTest } from './each-test.ts';
import { grant, personOf, type Stage, setStage } from './harness.ts';

type Request = Parameters<Stage['sandbox']['control']['interact']>[0];
type Interaction = Awaited<ReturnType<Stage['sandbox']['control']['interact']>>;

/** A stage with people who act in chat. It checks that every answer is visible to its reader only and pings nobody. */
export interface ChatStage extends Stage {
  /** Does something in a client. Returns the bot's answer. */
  does(request: Request): Promise<Interaction>;
  /** The text of the answer to a slash command. */
  says(user: string, command: string, options?: Request['options'], channel?: string): Promise<string>;
  /** Picks an entry of a menu on a person or a message. */
  picks(user: string, command: string, target: string): Promise<Interaction>;
  /** Fills in and sends the form of an earlier answer. Returns the text of the answer. */
  fills(user: string, opened: Interaction, fields: Record<string, string | string[]>): Promise<string>;
}

/** Capabilities by the name of a role. */
type Granted = Record<string, string[]>;

export async function setChatStage(granted: Granted): Promise<ChatStage> {
  return chatOn(await setStage(), granted);
}

/** As {@link guildForEachTest}, with people who act in chat. */
export function chatGuildForEachTest(
  granted: Granted,
  use: (stage: ChatStage) => void | Promise<void>,
  env: NodeJS.ProcessEnv = {},
): ReturnType<typeof guildForEachTest> {
  return guildForEachTest(
    async (stage) => use(await chatOn(stage, granted)),
    () => setStage({}, env),
  );
}

async function chatOn(stage: Stage, granted: Granted): Promise<ChatStage> {
  for (const [role, capabilities] of Object.entries(granted)) await grant(stage, role, capabilities);
  // In the sample guild, a role's holder has the same name as the role.
  for (const role of Object.keys(granted)) {
    await stage.row('SELECT FROM members WHERE user_id = $1', [personOf(stage.sandbox, role.toLowerCase())]);
  }
  await stage.sandbox.until((state) => state.commands.length === COMMAND_DEFINITIONS.length);
  const does: ChatStage['does'] = async (request) => {
    const answer = await stage.sandbox.control.interact(request);
    expect(answer.state).toBe('answered');
    for (const { ephemeral } of answer.responses) expect(ephemeral).toBe(true);
    expect(answer.message?.mentions ?? []).toEqual([]);
    expect(answer.message?.mention_everyone ?? false).toBe(false);
    return answer;
  };
  const contentOf = ({ message }: Interaction) => message?.content ?? '';
  return {
    ...stage,
    does,
    says: async (user, command, options = {}, channel = 'general') =>
      contentOf(await does({ type: 'command', user, command, options, channel })),
    picks: (user, command, target) => {
      const type = /message|here/.test(command) ? 'message_menu' : 'user_menu';
      return does({ type, user, command, target });
    },
    fills: async (user, { id }, fields) =>
      contentOf(await does({ type: 'modal', user, interaction_id: id, fields })),
  };
}

/** Ends the stage. Checks that all requests to the sandbox followed Discord's own description of its API. */
export async function endChatStage(stage: ChatStage): Promise<void> {
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
}
