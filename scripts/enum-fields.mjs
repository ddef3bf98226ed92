// Finds the enumeration behind each integer field of the protocol. The definitions declare such fields as int32 and name the
// enumeration in the comment behind it: "required int32 marketState = 3; //Qot_Common.QotMarketState,…". Written as a module beside
// the messages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FIELD = /^\s*(?:required|optional|repeated)\s+u?int32\s+(\w+)\s*=\s*\d+[^/]*;?[^/]*\/\/(.*)$/;
const NAMED = /\b([A-Z]\w*)(?:(?:\.|::)([A-Z]\w*))?/g;

/** @param folders folders of `.proto` files. @param target the module to write. */
export function writeEnumFields(folders, target) {
  const files = folders.flatMap((folder) => protoFiles(folder).map(readProto));
  const enums = new Set(files.flatMap((file) => file.enums.map((name) => `${file.package}.${name}`)));
  const packages = new Map(files.map((file) => [file.name, file.package]));
  const entries = files.flatMap((file) => {
    const near = [file.package, ...file.imports.map((name) => packages.get(name)).filter((name) => name !== undefined)];
    return file.fields.flatMap(({ path, comment }) => {
      const found = enumIn(comment, near, enums);
      return found === undefined ? [] : [[`${file.package}.${path}`, found]];
    });
  });
  const lines = entries.map(([field, name]) => `  ${JSON.stringify(field)}: ${JSON.stringify(name)},`);
  const head = '/** The enumeration that an integer field holds, by the full names of both. */\n';
  writeFileSync(target, `${head}export const enumFields: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`);
}

/** The first enumeration that a comment names: with its package, or one of the field's own package or of an imported one. */
function enumIn(comment, near, enums) {
  for (const [, first, second] of comment.matchAll(NAMED)) {
    if (second !== undefined && enums.has(`${first}.${second}`)) return `${first}.${second}`;
    const own = near.find((name) => enums.has(`${name}.${first}`));
    if (own !== undefined) return `${own}.${first}`;
  }
  return undefined;
}

function protoFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.proto'))
    .map((name) => ({ name: name.replaceAll('\\', '/'), path: join(folder, name) }));
}

function readProto({ name, path }) {
  const file = { name, package: '', imports: [], enums: [], fields: [] };
  /** Names of the blocks that are open, the outermost first. */
  const open = [];
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
    const field = FIELD.exec(line);
    // retType belongs to every answer's frame: no interface writes it from a message.
    if (field !== null && field[1] !== 'retType') file.fields.push({ path: [...open, field[1]].join('.'), comment: field[2] });
    const code = line.replace(/\/\/.*$/, '');
    file.package = /^\s*package\s+([\w.]+)/.exec(code)?.[1] ?? file.package;
    const imported = /^\s*import\s+(?:public\s+)?"([^"]+)"/.exec(code)?.[1];
    if (imported !== undefined) file.imports.push(imported);
    const block = /^\s*(message|enum|oneof|service)\s+(\w+)/.exec(code);
    if (block?.[1] === 'enum') file.enums.push([...open, block[2]].join('.'));
    if (block !== null) open.push(block[2]);
    for (const _ of code.matchAll(/\}/g)) open.pop();
  }
  return file;
}
