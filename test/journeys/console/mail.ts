// The emails of a journey's server: without SMTP, it writes them to a folder.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import type { Stage } from './browser.ts';

/** Maximum wait for an email, in milliseconds: a job sends it, and the machine may be busy. */
const patienceMs = 60_000;

/** Waits for an email and returns the token of its link to a page: `accept-invite` or `verify`. */
export async function mailedToken(stage: Stage, email: string, page: string): Promise<string> {
  const link = new RegExp(`${stage.url}/\\S*${page}\\S*[?&#]token=([\\w-]+)`);
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    for (const text of await mailsTo(join(stage.folder, 'data', 'outbox'), email)) {
      const token = link.exec(text)?.[1];
      if (token !== undefined) return token;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`no link to ${page} was mailed to ${email}`);
}

async function mailsTo(outbox: string, email: string): Promise<string[]> {
  const files = await readdir(outbox).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const texts: string[] = [];
  for (const file of files.filter((name) => name.endsWith('.eml'))) {
    const { text = '', to } = await simpleParser(await readFile(join(outbox, file)));
    if (JSON.stringify(to ?? '').includes(email)) texts.push(text);
  }
  return texts;
}
