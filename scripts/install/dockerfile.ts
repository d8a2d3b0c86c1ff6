// What a container engine does with our Dockerfile, in folders.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An instruction of a Dockerfile, such as `RUN` with its command. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile that continues no line. @throws Error for a line that is none */
export function instructionsOf(path: string): Instruction[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      if (name === '' || text.endsWith('\\')) throw new Error(`This is no instruction on one line: ${line}`);
      return { name, text };
    });
}

/** What the last stage leaves. */
export interface Image {
  /** The folder that stands for the root of its files. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
}

/** How a Dockerfile is carried out here. */
interface Builder {
  /** The project, whose files `COPY . .` copies. */
  readonly context: string;
  /** The folder for the stages. */
  readonly directory: string;
  /** For the commands of `RUN`. */
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

/**
 * Carries out a Dockerfile. Each stage is a folder; base images are empty ones, because Node, npm and a shell are here.
 *
 * @throws Error with the output of a command that fails
 */
export function build(path: string, { context, directory, env, say }: Builder): Image {
  const stages = new Map<string, string>();
  let image: Image = { root: '', workdir: '/', env: {}, user: 'root', command: [] };
  const here = () => join(image.root, image.workdir);
  for (const { name, text } of instructionsOf(path)) {
    switch (name) {
      case 'FROM': {
        const [base = '', , stage = 'last'] = text.split(' ');
        const root = mkdtempSync(join(directory, `${stage}-`));
        chmodSync(root, 0o755);
        const from = stages.get(base);
        if (from !== undefined) command(['cp', '-al', `${from}/.`, root], directory, env);
        stages.set(stage, root);
        image = {
          root,
          workdir: from === undefined ? '/' : image.workdir,
          env: {},
          user: 'root',
          command: [],
        };
        break;
      }
      case 'WORKDIR':
        image = { ...image, workdir: text };
        mkdirSync(here(), { recursive: true });
        break;
      case 'ENV':
        image = { ...image, env: { ...image.env, ...Object.fromEntries(text.split(' ').map(pair)) } };
        break;
      case 'COPY': {
        const [, stage, from = '', to = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text) ?? [];
        if (stage === undefined) copyProject(context, join(here(), to));
        else
          cpSync(join(stages.get(stage) ?? '', from), join(here(), to), {
            recursive: true,
            verbatimSymlinks: true,
          });
        break;
      }
      case 'RUN':
        say(`RUN ${text}`);
        command(['sh', '-c', text], here(), { ...env, ...image.env });
        break;
      case 'USER':
        image = { ...image, user: text };
        break;
      case 'CMD':
        image = { ...image, command: JSON.parse(text) };
        break;
      case 'EXPOSE':
        break;
      default:
        throw new Error(`Nobody has said here what ${name} means`);
    }
  }
  return image;
}

function pair(text: string): [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name, value.join('=')];
}

/** What .dockerignore leaves of the project is what git knows (scripts/test/containers.test.ts). */
function copyProject(context: string, to: string): void {
  const listed = command(
    ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    context,
    process.env,
  );
  for (const path of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(context, path), join(to, path));
  }
}

function command([program = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} failed (${error ?? status}):\n${stdout}${stderr}`);
}
