import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { DeleteReq, DeleteResp, TombstoneReq, TombstoneResp } from "@eventstore/db-client/generated/streams_pb.js"
import type { handleUnaryCall } from "@grpc/grpc-js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import type { ServerLog } from "./log.ts"
import { nameOf } from "./messages.ts"

/** Delete: until the next append. */
export const makeDelete = (log: ServerLog): handleUnaryCall<DeleteReq, DeleteResp> => ({ request }, answer) => {
  log.softDelete(nameOf(request.getOptions()?.getStreamIdentifier()))
  const response = new streams.DeleteResp()
  response.setNoPosition(new empty.Empty())
  answer(null, response)
}

/** Tombstone: for ever. */
export const makeTombstone =
  (log: ServerLog): handleUnaryCall<TombstoneReq, TombstoneResp> => ({ request }, answer) => {
    log.delete(nameOf(request.getOptions()?.getStreamIdentifier()))
    const response = new streams.TombstoneResp()
    response.setNoPosition(new empty.Empty())
    answer(null, response)
  }
