import { ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { isObject, type JsonObject } from '#src/fields.ts';
import { escapeHtml } from '#src/http.ts';
import type { Command, Message } from '#src/model.ts';

/** Pieces of the page. Everything that comes from people or bots goes through `escapeHtml`. */

export const text = (value: unknown): string => escapeHtml(String(value ?? ''));

/** Attributes that make the page's script send `body` to a control endpoint. */
export function sending(endpoint: string, body: JsonObject): string {
  return `data-send="${endpoint}" data-body="${text(JSON.stringify(body))}"`;
}

export function time(iso: string): string {
  return `<time datetime="${text(iso)}">${text(iso.slice(0, 16).replace('T', ' '))}</time>`;
}

export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  if (rows.length === 0) return `<p class="soft">${text(empty)}</p>`;
  const head = heads.map((name) => `<th scope="col">${text(name)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  return `<div class="scroll"><table><caption>${text(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** The HTML of a message's text, with mentions, times and escaped formatting as a client shows them. */
function contentHtml(content: string, view: MessageView): string {
  return text(content)
    .replace(/\\([*_~`|\\])/g, '$1')
    .replace(/&lt;(@!?|@&amp;|#)(\d{17,20})&gt;/g, (_all, kind: string, id: string) => {
      return `<b>${kind === '#' ? '#' : '@'}${text(view.nameOf(id))}</b>`;
    })
    .replace(/&lt;t:(\d{1,11})(?::\w)?&gt;/g, (_all, seconds: string) => {
      return time(new Date(Number(seconds) * 1000).toISOString());
    });
}

export interface MessageView {
  readonly userId: string;
  /** Names for ids inside mentions. */
  nameOf(id: string): string;
  /** Message-menu commands the bot has registered. */
  readonly menus: readonly Command[];
  readonly ephemeral: boolean;
}

export function messageHtml(message: Message, view: MessageView): string {
  const tags = [
    message.author.bot ? '<span class="tag">bot</span>' : '',
    message.pinned ? '<span class="tag">pinned</span>' : '',
    message.edited_timestamp === null ? '' : '<span class="soft">(edited)</span>',
    view.ephemeral ? '<span class="soft">Only you can see this</span>' : '',
  ];
  const isWaiting = (message.flags & 128) !== 0;
  const content = isWaiting
    ? '<p class="soft">is thinking…</p>'
    : `<p>${contentHtml(message.content, view)}</p>`;
  const menus = view.menus.map((command) => {
    const body = {
      type: 'message_menu',
      user: view.userId,
      channel: message.channel_id,
      command: command.name,
      target: message.id,
    };
    return `<button ${sending('interactions', body)}>${text(command.name)}</button>`;
  });
  const menu = menus.length > 0 ? `<span class="menus">${menus.join('')}</span>` : '';
  const name = text(message.author.global_name ?? message.author.username);
  const head = `<div class="head"><b>${name}</b>${time(message.timestamp)}${tags.join('')}${menu}</div>`;
  const files = message.attachments.map((file) => {
    const path = text(new URL(file.url).pathname);
    return `<p><a href="${path}">${text(file.filename)}</a> <span class="soft">${file.size} bytes</span></p>`;
  });
  const parts = [
    head,
    content,
    ...message.embeds.map((embed) => embedHtml(embed, view)),
    ...files,
    ...message.components.map((component) => componentHtml(component, message, view)),
  ];
  return `<li class="message${view.ephemeral ? ' hidden-to-others' : ''}">${parts.join('')}</li>`;
}

function embedHtml(embed: Message['embeds'][number], view: MessageView): string {
  const fields = (embed.fields ?? []).map(
    (field) => `<dt>${text(field.name)}</dt><dd>${contentHtml(field.value, view)}</dd>`,
  );
  return `<div class="embed">${embed.title ? `<b>${text(embed.title)}</b>` : ''}${
    embed.description ? `<p>${contentHtml(embed.description, view)}</p>` : ''
  }${fields.length > 0 ? `<dl>${fields.join('')}</dl>` : ''}${
    embed.footer ? `<span class="soft">${text(embed.footer.text)}</span>` : ''
  }</div>`;
}

function componentHtml(component: JsonObject, message: Message, view: MessageView): string {
  const inner = Array.isArray(component.components) ? component.components.filter(isObject) : [];
  const act = (type: 'button' | 'select') =>
    sending('interactions', {
      type,
      user: view.userId,
      message_id: message.id,
      custom_id: component.custom_id,
    });
  const disabled = component.disabled === true ? ' disabled' : '';
  switch (component.type) {
    case 2: {
      const label = text(component.label ?? 'Button');
      if (typeof component.url === 'string')
        return `<a href="${text(component.url)}" rel="noreferrer">${label}</a>`;
      const look =
        component.style === 4 ? 'danger' : component.style === 1 || component.style === 3 ? 'primary' : '';
      return `<button class="${look}" ${act('button')}${disabled}>${label}</button>`;
    }
    case 3: {
      const options = Array.isArray(component.options) ? component.options.filter(isObject) : [];
      const first = `<option value="" disabled selected>${text(component.placeholder ?? 'Choose…')}</option>`;
      const rest = options.map(
        (option) => `<option value="${text(option.value)}">${text(option.label)}</option>`,
      );
      return `<select aria-label="${text(component.placeholder ?? 'Choose')}" ${act('select')}${disabled}>${first}${rest.join('')}</select>`;
    }
    case 10:
      return `<p>${text(component.content)}</p>`;
    default: {
      const row = inner.map((each) => componentHtml(each, message, view)).join('');
      return component.type === 17 ? `<div class="embed">${row}</div>` : `<div class="row">${row}</div>`;
    }
  }
}

interface Runnable {
  readonly words: string;
  readonly description: string;
  readonly options: readonly JsonObject[];
}

/** A command's subcommands, each as a person types it. */
function runnable(words: string, description: string, options: readonly JsonObject[]): Runnable[] {
  const nested = options.filter(
    (option) => option.type === Option.Subcommand || option.type === Option.SubcommandGroup,
  );
  if (nested.length === 0) return [{ words, description, options }];
  return nested.flatMap((option) =>
    runnable(
      `${words} ${String(option.name)}`,
      String(option.description ?? ''),
      Array.isArray(option.options) ? option.options.filter(isObject) : [],
    ),
  );
}

export interface CommandView {
  readonly userId: string;
  readonly channelId: string;
  readonly users: readonly { id: string; name: string }[];
  readonly channels: readonly { id: string; name: string }[];
  readonly roles: readonly { id: string; name: string }[];
}

export function commandForms(commands: readonly Command[], view: CommandView): string {
  const all = commands.flatMap((command) =>
    runnable(command.name, command.description, command.options ?? []),
  );
  if (all.length === 0) return '<p class="soft">The bot has registered no slash commands here.</p>';
  return all
    .map((each) => {
      const body = { type: 'command', user: view.userId, channel: view.channelId, command: each.words };
      const inputs = each.options.map((option) => optionInput(option, each.words, view)).join('');
      return `<details><summary>/${text(each.words)} <span class="soft">${text(each.description)}</span></summary>
<form ${sending('interactions', body)} data-group="options">${inputs}<button class="primary">Run</button></form></details>`;
    })
    .join('');
}

function optionInput(option: JsonObject, words: string, view: CommandView): string {
  const name = text(option.name);
  const required = option.required === true ? ' required' : '';
  const label = `${name}${required ? '' : ' <span class="soft">(optional)</span>'}`;
  const choices = Array.isArray(option.choices) ? option.choices.filter(isObject) : [];
  const select = (items: readonly { id: string; name: string }[]) =>
    `<label>${label}<select name="${name}"${required}><option value=""></option>${items
      .map((item) => `<option value="${text(item.id)}">${text(item.name)}</option>`)
      .join('')}</select></label>`;
  if (choices.length > 0) {
    return select(choices.map((choice) => ({ id: String(choice.value), name: String(choice.name) })));
  }
  switch (option.type) {
    case Option.User:
    case Option.Mentionable:
      return select(view.users);
    case Option.Channel:
      return select(view.channels);
    case Option.Role:
      return select(view.roles);
    case Option.Boolean:
      return select([
        { id: 'true', name: 'True' },
        { id: 'false', name: 'False' },
      ]);
    default: {
      const list = text(`list-${words}-${String(option.name)}`.replaceAll(' ', '-'));
      const kind = option.type === Option.Integer || option.type === Option.Number ? 'number' : 'text';
      const suggests = option.autocomplete === true ? ` list="${list}" data-autocomplete="1"` : '';
      const datalist = option.autocomplete === true ? `<datalist id="${list}"></datalist>` : '';
      const step = option.type === Option.Number ? ' step="any"' : '';
      return `<label>${label}<input name="${name}" type="${suggests ? 'text' : kind}"${step}${required}${suggests}>${datalist}</label>`;
    }
  }
}
