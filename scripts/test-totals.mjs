// Prints the totals of a vitest JSON report as one line: `N passed, N failed, N skipped`.
import { existsSync, readFileSync } from 'node:fs';

const [path = ''] = process.argv.slice(2);
if (!existsSync(path)) {
  console.error('No test ran: the checkout could not be prepared, or a check before the tests failed.');
  process.exit(1);
}
const report = JSON.parse(readFileSync(path, 'utf8'));
// A file that cannot be loaded has no tests of its own to fail.
const unloadable = report.testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
const failed = report.numFailedTests + unloadable.length;
console.log(`${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`);
if (!report.success) process.exit(1);
