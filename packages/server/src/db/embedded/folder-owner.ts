import { existsSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The process that runs a folder's embedded database, as named in the folder's `owner.json`. */
export interface Owner {
  readonly pid: number;
  /** Folder of the database's socket. */
  readonly sockets: string;
}

const lookAgainMs = 100;
const looksUntilDead = 50;

const fileOf = (folder: string): string => join(folder, 'owner.json');

/**
 * Waits until no other process runs on the folder: the previous one may still be shutting down, for example after
 * Ctrl+C and a restart. Throws when it hasn't ended after `patienceMs` milliseconds.
 */
export async function otherOwnerEnded(
  folder: string,
  patienceMs: number,
  report: (message: string) => void,
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let hasLogged = false; ; hasLogged = true) {
    const owner = await liveOwner(folder);
    if (owner === null) return;
    if (performance.now() >= until) {
      const waited = patienceMs > 0 ? ` and hasn't exited after ${patienceMs / 1000} s` : '';
      throw new Error(
        `${folder} is in use by process ${owner.pid}${waited}; stop that process first, or set DATA_DIR to another folder`,
      );
    }
    if (!hasLogged)
      report(`waiting up to ${patienceMs / 1000} s for process ${owner.pid} to exit, which is using ${folder}`);
    await sleep(Math.min(lookAgainMs, Math.max(0, until - performance.now())));
  }
}

/**
 * Makes this process the folder's owner. When several processes waited for the same end, one wins; the others fail,
 * like any start on a folder in use.
 */
export async function takeFolder(folder: string, sockets: string): Promise<void> {
  const file = fileOf(folder);
  const own = `${file}.${process.pid}`;
  await writeFile(own, JSON.stringify({ pid: process.pid, sockets }), { mode: 0o600 });
  await alone(own, `${file}.taking`, async () => {
    await otherOwnerEnded(folder, 0, () => undefined);
    // Readers find the old text or the new one, never half of it.
    await rename(own, file);
  });
}

/**
 * Runs `fn` while no other process does the same: whoever creates the file `lock` goes first. `own` is a file of this
 * process that becomes the lock, so that it appears whole, and is then removed. Clears a lock whose process died.
 */
async function alone(own: string, lock: string, work: () => Promise<void>): Promise<void> {
  try {
    for (let looks = 1; !(await isMine(own, lock)); looks += 1) {
      const holder = await ownerIn(lock);
      // Null: the lock was just released. Work under the lock takes milliseconds, so a process that holds it longer has
      // crashed.
      if (holder !== null && (!(await isLive(holder)) || looks % looksUntilDead === 0)) await rm(lock, { force: true });
      else await sleep(lookAgainMs);
    }
    try {
      await work();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function isMine(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false;
    throw error;
  }
}

/** Records that no process uses the folder now. */
export async function leaveFolder(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

/** Returns the other process that runs on this folder now, or null. */
export async function liveOwner(folder: string): Promise<Owner | null> {
  const owner = await readOwner(folder);
  return owner !== null && (await isLive(owner)) ? owner : null;
}

/**
 * Returns true for another running process. If the number is our own, it belonged to a process from before a reboot.
 */
async function isLive({ pid }: Owner): Promise<boolean> {
  return pid !== process.pid && isAlive(pid) && (await looksLikeUs(pid));
}

/** Returns the owner that the folder names, dead or alive; null when it names none. */
export async function readOwner(folder: string): Promise<Owner | null> {
  return ownerIn(fileOf(folder));
}

async function ownerIn(file: string): Promise<Owner | null> {
  const text = await readIfThere(file);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const pid: unknown = Reflect.get(value, 'pid');
    const sockets: unknown = Reflect.get(value, 'sockets');
    return typeof pid === 'number' && typeof sockets === 'string' ? { pid, sockets } : null;
  } catch {
    // A crash cut it off halfway. Treat it as missing.
    return null;
  }
}

/** Returns true while any process has this number, even one that isn't ours. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}

/** Returns true when the process is a Node process, as far as this system lets us see. */
async function looksLikeUs(pid: number): Promise<boolean> {
  const command = await readIfThere(`/proc/${pid}/cmdline`);
  return command === null ? !existsSync('/proc/self') : command.includes('node');
}

/**
 * Returns the text of a file, or of a process that /proc describes; null when it doesn't exist. Throws any other read
 * error.
 */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
    // ESRCH: the process ended while we read its entry.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}
