/** An edge that closes a cycle: `path` leads from the imported file back to the importing one. */
export interface Cycle {
  readonly from: string
  readonly to: string
  readonly path: ReadonlyArray<string>
}

/** The cycles in a graph of files: one for every edge that closes a cycle when the files are visited in order. */
export const findCycles = (edges: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<Cycle> => {
  const found: Array<Cycle> = []
  const done = new Set<string>()
  const trail: Array<string> = []
  const walk = (file: string): void => {
    trail.push(file)
    for (const to of edges.get(file) ?? []) {
      const at = trail.indexOf(to)
      if (at >= 0) found.push({ from: file, to, path: trail.slice(at) })
      else if (!done.has(to)) walk(to)
    }
    trail.pop()
    done.add(file)
  }
  for (const file of edges.keys()) if (!done.has(file)) walk(file)
  return found
}
