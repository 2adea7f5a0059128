import { useSyncExternalStore } from 'react';
import { createTray, type Job, type Tray, type TraySurroundings } from './jobs.ts';

let opened: Tray | null = null;

/** Makes the tray of the page, once, and goes on with what was under way before a reload. */
export function openTray(surroundings: TraySurroundings): void {
  opened = createTray(surroundings);
  opened.resume();
}

/** The tray of the page: `tray().watch({ id, kind, title, open })` shows long work that was begun. */
export function tray(): Tray {
  if (opened === null) throw new Error('openTray() comes before the first job');
  return opened;
}

/** The jobs of the tray, as they stand. */
export function useJobs(): readonly Job[] {
  return useSyncExternalStore(tray().subscribe, tray().jobs);
}
