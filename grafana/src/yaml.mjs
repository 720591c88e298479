/** Writes groups of Prometheus rules as a person would: the fields in order, long queries as blocks of text. */
export function yamlOf(groups, heading) {
  const lines = [...heading.map((line) => `# ${line}`), 'groups:'];
  for (const { name, interval, rules } of groups) {
    lines.push(`  - name: ${name}`, `    interval: ${interval}`, '    rules:');
    for (const rule of rules) lines.push(...entry(rule, 6));
  }
  return `${lines.join('\n')}\n`;
}

function entry(rule, indent) {
  const [first, ...others] = fields(rule, indent + 2);
  return [`${' '.repeat(indent)}- ${first.trimStart()}`, ...others];
}

function* fields(object, indent) {
  const margin = ' '.repeat(indent);
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    if (typeof value === 'object') {
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

// Quoted where YAML would read something else: a quote that is doubled is YAML's own way to write one.
function scalar(text) {
  const isPlain = /^[\w/][^\n]*$/.test(text) && !/: | #|:$/.test(text) && !/^([\d.]+|true|false|null|yes|no|on|off)$/i.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}
