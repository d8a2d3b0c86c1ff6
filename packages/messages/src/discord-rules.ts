/** Names of commands and their options (Discord's reference, "Application Command Naming"). */
const NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;
const MOST_DESCRIPTION = 100;
const MOST_MENU = 32;

/** Why Discord would refuse a text for a command or a menu; null if it would accept it. */
export function discordProblemOf(name: string, key: string, text: string): string | null {
  const isCommand = name === 'commands' ? !key.startsWith('choices.') : /\.command\./.test(key);
  if (isCommand && key.endsWith('.name') && !(NAME.test(text) && text === text.toLowerCase())) {
    return 'Discord takes 1 to 32 lower-case letters, digits, "-" and "_" as a name; shorten or respell it';
  }
  if (isCommand && key.endsWith('.description') && text.length > MOST_DESCRIPTION) {
    return `Discord takes at most ${MOST_DESCRIPTION} characters as a description; shorten it by ${text.length - MOST_DESCRIPTION}`;
  }
  if (/\.menus\.\w+$/.test(key) && text.length > MOST_MENU) {
    return `Discord takes at most ${MOST_MENU} characters in a menu; shorten it by ${text.length - MOST_MENU}`;
  }
  return null;
}

/** Options of a command whose name an earlier option already has. */
export function repeatedOptions(texts: ReadonlyMap<string, string>): string[] {
  const seen = new Set<string>();
  return [...texts].flatMap(([key, text]) => {
    const command = /^(.*\.command\.options)\.\w+\.name$/.exec(key)?.[1];
    if (command === undefined) return [];
    const option = `${command}: ${text}`;
    if (seen.has(option)) return [key];
    seen.add(option);
    return [];
  });
}
