"""A gRPC client of another language, which learns everything by server reflection. Prints what it saw as JSON."""

import json
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

address, key, ca = sys.argv[1:4]
with open(ca, "rb") as file:
    credentials = grpc.ssl_channel_credentials(file.read())
channel = grpc.secure_channel(address, credentials, [("grpc.ssl_target_name_override", "localhost")])
pool = descriptor_pool.DescriptorPool()
metadata = (("authorization", f"Bearer {key}"),)
identity = bytes


def fields(data):
    """The length-delimited fields of a message: (number, bytes)."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            _, at = varint(data, at)
            continue
        length, at = varint(data, at)
        yield tag >> 3, data[at : at + length]
        at += length


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def ask(field, text):
    """The files that answer a question: ServerReflectionRequest.file_by_filename = 3, .file_containing_symbol = 4."""
    reflect = channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", identity, identity)
    asked = text.encode()
    answer = next(reflect(iter([bytes([field << 3 | 2, len(asked)]) + asked])))
    parts = [file for number, part in fields(answer) if number == 4 for _, file in fields(part)]
    files = [descriptor_pb2.FileDescriptorProto.FromString(part) for part in parts]
    return {file.name: file for file in files}


known = set()


def add(file, files):
    """Adds a file after those that it imports."""
    if file.name in known:
        return
    known.add(file.name)
    for name in file.dependency:
        add(files[name] if name in files else ask(3, name)[name], files)
    pool.Add(file)


def learn(symbol):
    files = ask(4, symbol)
    for file in files.values():
        add(file, files)


def message(name):
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


for symbol in ("svc.v1.Gateway", "Qot_GetBasicQot.Request", "Qot_Sub.Request"):
    learn(symbol)
Request, Response = message("svc.v1.GatewayRequest"), message("svc.v1.GatewayResponse")
call = channel.unary_unary("/svc.v1.Gateway/Request", Request.SerializeToString, Response.FromString)

body = message("Qot_GetBasicQot.Request")()
body.c2s.securityList.add(market=1, code="00700")
answer, state = call.with_call(Request(proto_id=3004, body=body.SerializeToString()), metadata=metadata)
quote = message("Qot_GetBasicQot.Response").FromString(answer.body)

try:
    call(Request(proto_id=3004, body=body.SerializeToString()))
    refused = None
except grpc.RpcError as error:
    refused = error

Event = message("svc.v1.PushEvent")
wish = message("svc.v1.SubscribePushRequest")(event_types=["quote"])
subscribe_push = channel.unary_stream("/svc.v1.Gateway/SubscribePush", type(wish).SerializeToString, Event.FromString)
stream = subscribe_push(wish, metadata=metadata)
stream.initial_metadata()
sub = message("Qot_Sub.Request")()
sub.c2s.securityList.add(market=1, code="00700")
sub.c2s.subTypeList.append(1)
sub.c2s.isSubOrUnSub = sub.c2s.isRegOrUnRegPush = True
call(Request(proto_id=3001, body=sub.SerializeToString()), metadata=metadata)
event = next(stream)
stream.cancel()

print(
    json.dumps(
        {
            "version": grpc.__version__,
            "ret_type": answer.ret_type,
            "code": quote.s2c.basicQotList[0].security.code,
            "request_id": dict(state.trailing_metadata())["x-request-id"],
            "refused": refused and refused.code().name,
            "error_code": refused and dict(refused.trailing_metadata())["error-code"],
            "event": [event.event_type, event.sec_key, event.proto_id],
        }
    )
)
