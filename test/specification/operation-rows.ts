import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A row of the specification's list of operations. */
export interface OperationRow {
  readonly group: string;
  readonly operation: string;
  readonly id: number | null;
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  readonly tool: string | null;
  /** Any one of them does; empty where every scope does. */
  readonly needed: readonly string[];
  readonly switches: readonly string[];
}

const list = (text: string, separator: string) => (text === '-' ? [] : text.split(separator));

/** The specification's list of operations, written down a second time on purpose. */
export const operationRows = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line): OperationRow => {
    const [group = '', operation = '', id = '', routes = '', tool = '', needed = '', switches = ''] = line.split('\t');
    return {
      group,
      operation,
      id: id === '-' ? null : Number(id),
      routes: list(routes, ', ').map((route) => {
        const [method = '', path = ''] = route.split(' ');
        return { method, path };
      }),
      tool: tool === '-' ? null : tool,
      needed: needed === 'any' ? [] : list(needed, ' or ').sort(),
      switches: list(switches, ' '),
    };
  });
