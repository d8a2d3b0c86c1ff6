import { ApplicationCommandType, RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { invalidForm, refusal } from '#src/errors.ts';
import { type Fields, isObject, type JsonObject } from '#src/fields.ts';
import type { Command } from '#src/model.ts';
import type { World } from '#src/world.ts';
import {
  checkOptions,
  readDescriptions,
  readName,
  readNames,
  refuseLongCommand,
  refuseRepeatedNames,
} from './command-rules.ts';
import { fieldsOf, route } from './route.ts';

const COMMAND_TYPES = [
  ApplicationCommandType.ChatInput,
  ApplicationCommandType.User,
  ApplicationCommandType.Message,
];
const MOST_CHAT_COMMANDS = 100;
const MOST_IN_A_MENU = 15;

type Scope = string | null;

function inScope(world: World, scope: Scope): Command[] {
  return [...world.commands.values()].filter((command) => (command.guild_id ?? null) === scope);
}

/** The options without their null fields, which Discord omits. */
function tidy(options: readonly JsonObject[]): JsonObject[] {
  return options.map((option) => {
    const kept = Object.entries(option).filter(([, value]) => value !== null && value !== undefined);
    const nested = option.options;
    const choices = option.choices;
    return {
      ...Object.fromEntries(kept),
      ...(Array.isArray(nested) ? { options: tidy(nested.filter(isObject)) } : {}),
      ...(Array.isArray(choices) ? { choices: tidy(choices.filter(isObject)) } : {}),
    };
  });
}

function readIntegers(fields: Fields, name: string): number[] | null {
  const value = fields.values[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'number') : null;
}

function readCommand(world: World, scope: Scope, body: unknown): Command {
  const fields = fieldsOf(body);
  const given = fields.integer('type') ?? ApplicationCommandType.ChatInput;
  const type = COMMAND_TYPES.find((known) => known === given);
  if (type === undefined) throw invalidForm('type', 'BASE_TYPE_CHOICES', 'Value must be one of {1, 2, 3}.');
  const name = readName(fields, type);
  const isChat = type === ApplicationCommandType.ChatInput;
  const description = isChat
    ? fields.requiredString('description', { min: 1, max: 100 })
    : (fields.string('description', { max: 0 }) ?? '');
  const options = fields.objects('options') ?? [];
  checkOptions(options, 'options');
  refuseLongCommand(fields.values, 'name');
  const permissions = fields.values.default_member_permissions;
  const same = inScope(world, scope).find((command) => command.name === name && command.type === type);
  return {
    id: same?.id ?? world.ids.next(),
    application_id: world.applicationId,
    version: world.ids.next(),
    type,
    ...(scope === null ? {} : { guild_id: scope }),
    name,
    name_localizations: readNames(fields, type),
    description,
    description_localizations: isChat ? readDescriptions(fields) : null,
    default_member_permissions:
      permissions === undefined || permissions === null ? null : String(permissions),
    ...(scope === null ? { dm_permission: fields.boolean('dm_permission') ?? true } : {}),
    contexts: readIntegers(fields, 'contexts'),
    integration_types: readIntegers(fields, 'integration_types') ?? [0],
    nsfw: fields.boolean('nsfw') ?? false,
    ...(isChat && options.length > 0 ? { options: tidy(options) } : {}),
  };
}

function refuseMany(commands: readonly Command[]): void {
  for (const type of COMMAND_TYPES) {
    const most = type === ApplicationCommandType.ChatInput ? MOST_CHAT_COMMANDS : MOST_IN_A_MENU;
    if (commands.filter((command) => command.type === type).length <= most) continue;
    throw refusal(Code.MaximumNumberOfApplicationCommandsReached);
  }
}

function save(world: World, command: Command): Command {
  const others = inScope(world, command.guild_id ?? null).filter(({ id }) => id !== command.id);
  refuseMany([...others, command]);
  world.commands.set(command.id, command);
  world.changed();
  return command;
}

function overwriteAll(world: World, scope: Scope, body: unknown): Command[] {
  const given = fieldsOf({ commands: body }).objects('commands') ?? [];
  const commands = given.map((item) => readCommand(world, scope, item));
  for (const type of COMMAND_TYPES) {
    refuseRepeatedNames(
      commands.filter((command) => command.type === type),
      'commands',
      'APPLICATION_COMMANDS_DUPLICATE_NAME',
    );
  }
  refuseMany(commands);
  for (const command of inScope(world, scope)) world.commands.delete(command.id);
  for (const command of commands) world.commands.set(command.id, command);
  world.changed();
  return commands;
}

function commandOf(world: World, scope: Scope, id: string): Command {
  const command = world.commands.get(id);
  if (!command || (command.guild_id ?? null) !== scope) throw refusal(Code.UnknownApplicationCommand);
  return command;
}

function change(world: World, scope: Scope, id: string, body: unknown): Command {
  const before = commandOf(world, scope, id);
  const given = isObject(body) ? body : {};
  return save(world, { ...readCommand(world, scope, { ...before, ...given }), id });
}

function own(call: { world: World; params: { readonly application_id: string } }): World {
  if (call.params.application_id !== call.world.applicationId) throw refusal(Code.UnknownApplication);
  return call.world;
}

/** The command for a list: without localizations, unless the query asks for them. */
function shown({ query }: { query: URLSearchParams }, command: Command): object {
  if (query.get('with_localizations') === 'true') return command;
  return withoutLocalizations({ ...command });
}

function withoutLocalizations(part: JsonObject): JsonObject {
  const kept = Object.entries(part).filter(([name]) => !name.endsWith('_localizations'));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'options' || name === 'choices' ? (value as JsonObject[]).map(withoutLocalizations) : value,
    ]),
  );
}

const GLOBAL = '/applications/{application_id}/commands' as const;
const GUILD = '/applications/{application_id}/guilds/{guild_id}/commands' as const;

export const commandRoutes = [
  route('GET', GLOBAL, (call) => inScope(own(call), null).map((command) => shown(call, command))),
  route('PUT', GLOBAL, (call) => overwriteAll(own(call), null, call.body)),
  route('POST', GLOBAL, (call) => save(own(call), readCommand(call.world, null, call.body)), { status: 201 }),
  route('GET', `${GLOBAL}/{command_id}`, (call) => commandOf(own(call), null, call.params.command_id)),
  route('PATCH', `${GLOBAL}/{command_id}`, (call) =>
    change(own(call), null, call.params.command_id, call.body),
  ),
  route('DELETE', `${GLOBAL}/{command_id}`, (call) => {
    call.world.commands.delete(commandOf(own(call), null, call.params.command_id).id);
    call.world.changed();
  }),
  route('GET', GUILD, (call) =>
    inScope(own(call), call.world.guild(call.params.guild_id).id).map((command) => shown(call, command)),
  ),
  route('PUT', GUILD, (call) =>
    overwriteAll(own(call), call.world.guild(call.params.guild_id).id, call.body),
  ),
  route(
    'POST',
    GUILD,
    (call) => save(own(call), readCommand(call.world, call.world.guild(call.params.guild_id).id, call.body)),
    { status: 201 },
  ),
  route('GET', `${GUILD}/{command_id}`, (call) =>
    commandOf(own(call), call.params.guild_id, call.params.command_id),
  ),
  route('PATCH', `${GUILD}/{command_id}`, (call) =>
    change(own(call), call.params.guild_id, call.params.command_id, call.body),
  ),
  route('DELETE', `${GUILD}/{command_id}`, (call) => {
    call.world.commands.delete(commandOf(own(call), call.params.guild_id, call.params.command_id).id);
    call.world.changed();
  }),
];
