#!/usr/bin/env node
// Starts main.ts on a Node that can run TypeScript. This file itself is plain JavaScript that Node 16 understands, because
// the Node of the system runs it, which may be old.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const MINIMUM = 24
const here = dirname(fileURLToPath(import.meta.url))
const main = join(here, "..", "main.ts")

/** The major version of a Node binary; 0 when it cannot run on this machine. */
const majorOf = (node) => {
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" })
  return Number(/^v(\d+)\./u.exec(stdout || "")?.[1] || 0)
}

/** Node binaries that npm installed: first in this package, then in the folders above it. */
const bundled = () => {
  const found = []
  for (let folder = here; folder !== dirname(folder); folder = dirname(folder)) {
    found.push(join(folder, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node"))
  }
  return found.filter((node) => existsSync(node))
}

const findNode = () =>
  Number(process.versions.node.split(".")[0]) >= MINIMUM
    ? process.execPath
    : bundled().find((node) => majorOf(node) >= MINIMUM)

const node = findNode()
if (node === undefined) {
  process.stderr.write(
    `sliptrail needs Node ${MINIMUM} or newer; this is Node ${process.versions.node}.\n`
      + "On Linux npm installs one: run `npm ci`, without --omit=optional, in the folder of the package.\n"
      + `Elsewhere install Node ${MINIMUM} and try again.\n`
  )
  process.exit(2)
}

// The cache of main.ts. With the cache enabled before main.ts is read, Node need not load its TypeScript compiler.
const cache = join(here, "..", "..", "node_modules", ".cache", "sliptrail")

// Limits the memory of the service: a young generation that takes the objects of a busy second, a heap that is collected
// when it has grown by 120 %, and one malloc arena for all threads, which returns the memory of a decoded picture to the
// system. Every object begins in the young generation: V8 would place objects of requests among the old ones, and those
// keep alive what they point to. V8 has one helper thread, because several take the processor from the one that answers.
// Only a new process reads the variables.
const { environment, flags } = JSON.parse(readFileSync(join(here, "service-options.json"), "utf8"))

/** Starts Node again with these limits. The process stays the same where the system and this Node can replace it. */
const restart = () => {
  const isSame = node === process.execPath
  // Another Node may not know the options of this one.
  const args = [...(isSame ? process.execArgv : []), ...flags, main, ...process.argv.slice(2)]
  const env = { ...environment, NODE_COMPILE_CACHE: cache, ...process.env }
  if (isSame && process.execve !== undefined && process.platform !== "win32") process.execve(node, [node, ...args], env)
  const child = spawn(node, args, { stdio: "inherit", env })
  // The terminal sends Ctrl-C to both processes, so the child receives it twice. A second signal has no effect.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"]) {
    process.on(signal, () => child.kill(signal))
  }
  child.on("error", (error) => {
    process.stderr.write(`sliptrail cannot start ${node}: ${error.message}\n`)
    process.exit(2)
  })
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? code : 128 + constants.signals[signal])
  })
}

if (node === process.execPath && process.argv[2] !== "serve") {
  module.enableCompileCache?.(cache)
  await import(pathToFileURL(main).href)
} else {
  restart()
}
