import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from '@playwright/test';

/** Unpacked here once per version: 200 MB, 3 s. */
const CACHE = resolve(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'bailiff-chromium');

/**
 * How to launch a headless Chromium: the one `CHROMIUM_PATH` names, or else that of the npm package @sparticuz/chromium,
 * which brings the libraries and fonts with it that a bare server lacks.
 */
export async function chromiumOptions(): Promise<LaunchOptions> {
  const given = process.env.CHROMIUM_PATH;
  const args = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'];
  if (given) return { executablePath: given, args };
  const directory = await unpackedChromium();
  return {
    executablePath: join(directory, 'chromium'),
    args,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [join(directory, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH]
        .filter(Boolean)
        .join(':'),
      FONTCONFIG_FILE: join(directory, 'fonts.conf'),
    } as Record<string, string>,
  };
}

export async function launchChromium(): Promise<Browser> {
  return chromium.launch(await chromiumOptions());
}

async function unpackedChromium(): Promise<string> {
  const marker = join(CACHE, 'fonts.conf');
  if (await exists(marker)) return CACHE;
  const unfinished = `${CACHE}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const { default: packaged, inflate } = await import('@sparticuz/chromium');
  // The package unpacks into the temporary directory and takes whatever lies there for complete.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = unfinished;
  try {
    await packaged.executablePath();
    await inflate(
      join(import.meta.dirname, '..', '..', 'node_modules', '@sparticuz', 'chromium', 'bin', 'al2023.tar.br'),
    );
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  await writeFile(join(unfinished, 'fonts.conf'), fontConfiguration());
  await rm(CACHE, { recursive: true, force: true });
  await rename(unfinished, CACHE);
  return CACHE;
}

/** The system's own fonts and aliases where it has any, and those of the package. */
function fontConfiguration(): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${join(CACHE, 'fonts', 'fonts')}</dir>
<cachedir>${join(CACHE, 'font-cache')}</cachedir></fontconfig>\n`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
