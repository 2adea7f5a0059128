// Preloaded into a server under test (`--import`): the process's clock runs CLOCK_AHEAD_MS ahead of the machine's.
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
if (!Number.isFinite(aheadMs)) throw new Error('CLOCK_AHEAD_MS is not set');

const MachineDate = Date;

class ShiftedDate extends MachineDate {
  constructor(...parts: readonly unknown[]) {
    if (parts.length === 0) super(MachineDate.now() + aheadMs);
    else super(...(parts as [number]));
  }
  static override now(): number {
    return MachineDate.now() + aheadMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
