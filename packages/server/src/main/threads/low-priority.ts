import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of this thread, so that decisions go first. It still gets about a tenth of the processor time it competes for,
 * enough to finish in time. Linux only: elsewhere, priorities apply to the whole process.
 */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
