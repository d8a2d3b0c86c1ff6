import { translator } from '@bailiff/messages/dashboard';
import type { WebConfig } from '../config.ts';
import { DECISIONS } from './files.ts';
import { type Document, documentAt, documentsFor, READERS, slugOf } from './library.ts';

const SUMMARY =
  "Bailiff moderates Discord guilds: a bot, a dashboard and an API with tokens. A destructive call with a token needs the approval of the guild's owner, and repeats in words what it is about to do.";

/** The documents as `/llms.txt` lists them (https://llmstxt.org); what a reader may skip stands under *Optional*. */
export function llmsText({ publicUrl, dashboardUrl }: Pick<WebConfig, 'publicUrl' | 'dashboardUrl'>): string {
  const t = translator('en', 'docs');
  const line = ({ slug, title, lead }: Document) => `- [${title}](${dashboardUrl}/docs/${slug}.md): ${lead}`;
  const users = READERS.filter((reader) => reader !== 'builders');
  const decisions = DECISIONS.flatMap((path) => documentAt(slugOf(path) ?? '') ?? []);
  return [
    '# Bailiff',
    `> ${SUMMARY}`,
    ...users.map((reader) => section(t(`readers.${reader}`), documentsFor(reader).map(line))),
    section('API', [
      `- [OpenAPI document](${publicUrl}/openapi.json): every operation, with its input and answers`,
    ]),
    section('Optional', [...documentsFor('builders'), ...decisions].map(line)),
  ]
    .join('\n\n')
    .concat('\n');
}

function section(title: string, lines: readonly string[]): string {
  return [`## ${title}`, '', ...lines].join('\n');
}
