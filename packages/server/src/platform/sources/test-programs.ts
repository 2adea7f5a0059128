import { spawnSync } from 'node:child_process';

/**
 * Why tests of a source can't run here, for `skip` of node:test, which prints it; false if they can. With
 * SOURCE_TESTS=required, they run anyway and fail.
 */
export function missingProgram(program: string, debianPackage: string): string | false {
  if (process.env.SOURCE_TESTS === 'required') return false;
  const { status } = spawnSync('sh', ['-c', `PATH="$PATH:/usr/sbin:/usr/local/sbin" command -v ${program}`]);
  return status === 0 ? false : `no ${program} on PATH (Debian: apt-get install ${debianPackage})`;
}
