import { readFileSync } from "node:fs"
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import { isWithin, networkOf, parseAddress, type Range } from "../../../platform/ip-address.ts"
import { onEveryRequest } from "./expect-continue.ts"

/** How many connections a server keeps open. */
export interface ConnectionLimits {
  readonly total: number
  /** Of one address, and of one /64 network of IPv6; never more than half of `total`. */
  readonly perAddress: number
  /** Proxies carry the connections of many callers: the limit of one address is not theirs. */
  readonly proxies: ReadonlyArray<Range>
  /** Called for each connection that a limit closes. */
  readonly onClose?: (reason: CloseReason, address: string) => void
}

/** Descriptors that stay free for the stores, outgoing requests and threads. */
const RESERVED_DESCRIPTORS = 512

const MAX_TOTAL = 10_000

/** The limit on a system that does not tell how many descriptors a process may open. */
const UNKNOWN_TOTAL = 1_000

/** The number of connections that leaves enough descriptors for the rest of the process. */
export const defaultTotal = (maxDescriptors: number | undefined): number => {
  if (maxDescriptors === undefined) return UNKNOWN_TOTAL
  return Math.min(MAX_TOTAL, Math.max(Math.floor(maxDescriptors / 2), maxDescriptors - RESERVED_DESCRIPTORS))
}

/** The descriptors that this process may open; undefined when the system does not tell. */
export const maxDescriptors = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/mu.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/**
 * Why the limits close a connection. `address`: its address has too many. `full`: all are in use, each with a whole request.
 * `evicted`: it had no whole request, and all were in use when a new one came.
 */
export const closeReasons = ["address", "full", "evicted"] as const
export type CloseReason = typeof closeReasons[number]

/**
 * Limits the connections of a server, in all and for each address. When all are in use, the oldest one without a request is
 * closed for the new one, then the oldest one whose request is not received yet. So neither idle connections nor endless
 * bodies from many addresses keep a caller out. A connection that transfers no byte for `inactiveMillis` is closed if it
 * has no request, or an answer that its peer does not read.
 */
export const limitConnections = (
  server: Server,
  { onClose = () => {}, perAddress, proxies, total }: ConnectionLimits,
  inactiveMillis: number
): void => {
  const open = new Map<string, number>()
  /** Connections without a request, the oldest first. */
  const idle = new Set<Socket>()
  /** Connections with a request, in the order in which their requests began. */
  const busy = new Map<Socket, IncomingMessage>()
  let count = 0

  const addresses = new Map<Socket, string>()

  const close = (socket: Socket, reason: CloseReason, address: string) => {
    onClose(reason, address)
    socket.destroy()
  }

  const oldestReceiving = (): Socket | undefined => {
    for (const [socket, request] of busy) if (!request.complete) return socket
    return undefined
  }

  /** Whether there is space for one more connection. */
  const makeSpace = (): boolean => {
    if (count < total) return true
    const [oldest = oldestReceiving()] = idle
    if (oldest === undefined) return false
    const address = addresses.get(oldest) ?? ""
    release(oldest)
    close(oldest, "evicted", address)
    return true
  }

  const release = (socket: Socket) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    addresses.delete(socket)
    idle.delete(socket)
    busy.delete(socket)
    count -= 1
    const others = (open.get(address) ?? 1) - 1
    if (others === 0) open.delete(address)
    else open.set(address, others)
  }

  server.on("connection", (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? "")
    const fromAddress = open.get(address) ?? 0
    const isFromProxy = () => isWithin(parseAddress(socket.remoteAddress ?? ""), proxies)
    if (fromAddress >= Math.min(perAddress, total / 2) && !isFromProxy()) return close(socket, "address", address)
    if (!makeSpace()) return close(socket, "full", address)
    addresses.set(socket, address)
    open.set(address, fromAddress + 1)
    count += 1
    idle.add(socket)
    socket.once("close", () => release(socket))
  })

  onEveryRequest(server, (request, response) => {
    const { socket } = request
    idle.delete(socket)
    if (addresses.has(socket)) busy.set(socket, request)
    response.once("close", () => {
      busy.delete(socket)
      if (addresses.has(socket)) idle.add(socket)
    })
  })

  server.setTimeout(inactiveMillis, (socket) => {
    if (!addresses.has(socket) || idle.has(socket) || socket.writableLength > 0) socket.destroy()
  })
}
