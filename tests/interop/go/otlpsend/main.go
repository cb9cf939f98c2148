// SPDX-License-Identifier: Apache-2.0

// otlpsend sends the bytes of a file, as they are, to an OTLP receiver.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
)

const method = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

// asIs is a codec that leaves the message to the caller.
type asIs struct{}

func (asIs) Name() string { return "proto" }

func (asIs) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (asIs) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func sendGRPC(ctx context.Context, addr string, data []byte) ([]byte, error) {
	conn, err := grpc.NewClient(addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(asIs{})))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var reply []byte
	err = conn.Invoke(ctx, method, &data, &reply)
	return reply, err
}

func sendHTTP(ctx context.Context, addr, kind string, data []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+addr+"/v1development/profiles", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %q", response.Status, reply)
	}
	return reply, err
}

func run(how, addr, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var reply []byte
	switch how {
	case "grpc":
		reply, err = sendGRPC(ctx, addr, data)
	case "http":
		reply, err = sendHTTP(ctx, addr, "application/x-protobuf", data)
	case "json":
		reply, err = sendHTTP(ctx, addr, "application/json", data)
	default:
		err = fmt.Errorf("no way %q", how)
	}
	if err == nil {
		fmt.Printf("%q\n", reply)
	}
	return err
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: otlpsend grpc|http|json HOST:PORT FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "otlpsend:", err)
		os.Exit(1)
	}
}
