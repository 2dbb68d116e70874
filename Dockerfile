# The steps of continuous integration in a fresh Debian: `docker build --target tested .` runs every test, `docker build -t mapwright .` makes an
# image with what is installed.
FROM rust:1-bookworm AS built
WORKDIR /mapwright
COPY . .
RUN make && make install DESTDIR=/stage PREFIX=/usr/local

# Without the programs beside the project.
FROM built AS tested
RUN MAPWRIGHT_SHARED=none .ci/run

FROM debian:bookworm
RUN apt-get update && apt-get install -y --no-install-recommends libmlir-22 mlir-22-tools llvm-22 && rm -rf /var/lib/apt/lists/*
COPY --from=built /stage /
ENTRYPOINT ["mapwright"]
