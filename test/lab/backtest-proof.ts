// Backtests an unchanged plan on 100,000 decisions of the packs, in both modes: `npm run lab:backtests`, or
// `npm run lab:backtests -- 20000` for fewer.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const decisions = process.argv[2] ?? '100000';
const file = fileURLToPath(new URL('./backtest-packs.test.ts', import.meta.url));
const { status } = spawnSync(process.execPath, ['--test', file], {
  env: { ...process.env, LAB_DECISIONS: decisions },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
