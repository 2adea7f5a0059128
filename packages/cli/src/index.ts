export { run, type Shell } from './run.ts';
