import { useSyncExternalStore } from 'react';
import { createTray, type Job, type Tray, type TraySurroundings } from './jobs.ts';

let opened: Tray | null = null;

/** Creates the page's tray, once, and resumes jobs after a reload. */
export function openTray(surroundings: TraySurroundings): void {
  opened = createTray(surroundings);
  opened.resume();
}

/** Returns the page's tray: `tray().watch({ id, kind, title, open })` shows a running job. */
export function tray(): Tray {
  if (opened === null) throw new Error('openTray() comes before the first job');
  return opened;
}

/** Hook that returns the jobs. */
export function useJobs(): readonly Job[] {
  return useSyncExternalStore(tray().subscribe, tray().jobs);
}
