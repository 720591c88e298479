/** Writes an object as YAML, as a person would: the fields in order, long queries as blocks of text. */
export function yamlOf(object, heading) {
  return `${[...heading.map((line) => `# ${line}`), ...fields(object, 0)].join('\n')}\n`;
}

function* fields(object, indent) {
  const margin = ' '.repeat(indent);
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      yield `${margin}${name}:`;
      for (const item of value) yield* entry(item, indent + 2);
    } else if (typeof value === 'object') {
      yield `${margin}${name}:`;
      yield* fields(value, indent + 2);
    } else if (value.includes('\n')) {
      yield `${margin}${name}: |-`;
      for (const line of value.split('\n')) yield `${margin}  ${line}`;
    } else {
      yield `${margin}${name}: ${scalar(value)}`;
    }
  }
}

function* entry(item, indent) {
  const [first, ...others] = fields(item, indent + 2);
  yield `${' '.repeat(indent)}- ${first.trimStart()}`;
  yield* others;
}

// Quoted where YAML would read something else: a quote that is doubled is YAML's own way to write one.
function scalar(text) {
  const isPlain = /^[\w/][^\n]*$/.test(text) && !/: | #|:$/.test(text) && !/^([\d.]+|true|false|null|yes|no|on|off)$/i.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}
