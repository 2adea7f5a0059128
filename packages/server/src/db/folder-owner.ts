import { existsSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The process that runs the embedded database of a folder, as `owner.json` in that folder names it. */
export interface Owner {
  readonly pid: number;
  /** Folder of the database's socket. */
  readonly sockets: string;
}

const lookAgainMs = 100;
const looksUntilDead = 50;

const fileOf = (folder: string): string => join(folder, 'owner.json');

/**
 * Waits until no other process runs on the folder: the one before may still be ending, as after Ctrl+C and a new start.
 * Throws when it has not ended after `patienceMs` milliseconds.
 */
export async function otherOwnerEnded(
  folder: string,
  patienceMs: number,
  report: (message: string) => void,
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (let told = false; ; told = true) {
    const owner = await liveOwner(folder);
    if (owner === null) return;
    if (performance.now() >= until) {
      const waited = patienceMs > 0 ? ` and hasn't exited after ${patienceMs / 1000} s` : '';
      throw new Error(
        `${folder} is in use by process ${owner.pid}${waited}; stop that process first, or set DATA_DIR to another folder`,
      );
    }
    if (!told)
      report(`waiting up to ${patienceMs / 1000} s for process ${owner.pid} to exit, which is using ${folder}`);
    await sleep(Math.min(lookAgainMs, Math.max(0, until - performance.now())));
  }
}

/**
 * Makes this process the owner of the folder. Of several processes that waited for the same one to end, one gets it; the
 * others are refused, like any start on a folder in use.
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
 * Does something while no other process does the same: who makes the file `lock` goes first. `own` is a file of this
 * process that becomes the lock, so that it appears whole, and is removed. A lock whose process died is cleared.
 */
async function alone(own: string, lock: string, work: () => Promise<void>): Promise<void> {
  try {
    for (let looks = 1; !(await isMine(own, lock)); looks += 1) {
      const holder = await ownerIn(lock);
      // Null: it was given back just now. Work under the lock takes milliseconds; who has it longer has crashed.
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

/** Records that no process uses the folder any more. */
export async function leaveFolder(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true });
}

/** The other process that runs on this folder now, or null. */
export async function liveOwner(folder: string): Promise<Owner | null> {
  const owner = await readOwner(folder);
  return owner !== null && (await isLive(owner)) ? owner : null;
}

/** True for another process that runs; our own number was given to a process of an earlier life of this machine. */
async function isLive({ pid }: Owner): Promise<boolean> {
  return pid !== process.pid && isAlive(pid) && (await looksLikeUs(pid));
}

/** The owner that the folder names, dead or alive; null when it names none. */
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
    // Cut off in the middle by a crash: as good as absent.
    return null;
  }
}

/** True while any process has this number, also one that is not ours. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}

/** True when the process is a node, as far as this system lets us see. */
async function looksLikeUs(pid: number): Promise<boolean> {
  const command = await readIfThere(`/proc/${pid}/cmdline`);
  return command === null ? !existsSync('/proc/self') : command.includes('node');
}

/** Text of a file, or of a process that /proc describes; null when there is none. Whatever else keeps it from being read is thrown. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
    // ESRCH: the process ended while its entry was read.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}
